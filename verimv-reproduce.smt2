{"format": "verimv-network", "version": 1,
 "inputs": ["x1"],
 "box": [["0", "1"]],
 "layers": [
  {"weights": [
    ["8"],
    ["8"],
    ["8"],
    ["8"],
    ["8"],
    ["8"],
    ["8"],
    ["8"]],
   "bias": ["0", "-1", "-2", "-3", "-4", "-5", "-6", "-7"],
   "activation": "relu"},
  {"weights": [
    ["1", "-2", "2", "-2", "2", "-2", "2", "-2"]],
   "bias": ["0"],
   "activation": "relu"}],
 "outputs": ["y1"]}
