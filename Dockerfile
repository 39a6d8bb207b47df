# verimv with both kernels. The README's first command, in a container:
#
#   docker build -t verimv . && docker run --rm verimv
#
# and on your own model:
#
#   docker run --rm -v "$PWD:/data" verimv extract model.onnx -o out
FROM python:3.12-slim

WORKDIR /opt/verimv
COPY pyproject.toml README.md LICENSE ./
COPY verimv verimv
RUN pip install --no-cache-dir .
COPY examples examples

# The image is built only if both kernels accept a certificate here.
RUN verimv extract examples/networks/hat.json -o /tmp/hat && verimv check /tmp/hat --kernel both && rm -r /tmp/hat

RUN useradd --create-home verimv && mkdir /data && chown verimv /data
USER verimv
WORKDIR /data
ENTRYPOINT ["verimv"]
CMD ["extract", "/opt/verimv/examples/networks/hat.json", "-o", "/data/hat"]
