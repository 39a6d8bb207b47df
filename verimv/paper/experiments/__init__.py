"""The paper's experiments: runs, measurements, and a comparison with the paper's claims."""
