"""Both kernels as one judge: who is asked, when they agree, and what a kernel that gives up means."""

import gzip
import itertools
import shutil
import sys
import threading
from pathlib import Path

import pytest

from tests.certificate.by_verdict.make import Case, network
from verimv import IncompleteCertificate, InputError, InvalidCertificate, check_files, kernel
from verimv.core.errors import KernelsDisagree
from verimv.kernels import judge as judge_module
from verimv.kernels.judge import KernelAnswer, judge, judge_files, python_answer
from verimv.kernels.verified import KernelVerdict, verified_build

FOLDER = Path(__file__).parents[1] / "certificate" / "by_verdict"
HAT = FOLDER / "valid" / "hat"

#: What a kernel may say. The last one has given up.
SAID = {
    "valid": KernelVerdict("valid", None, None, ("y1 = formula on [0,1]",)),
    "another": KernelVerdict("valid", None, None, ("y1 = 2·formula on [0,1]",)),
    "invalid": KernelVerdict("invalid", "line 3", "expected this"),
    "malformed": KernelVerdict("malformed", None, "expected that"),
    "lacking": KernelVerdict("incomplete", None, "expected proofs of all outputs"),
    "gave up": KernelVerdict("incomplete", "line 9", "expected at most 4 steps for each byte of the files"),
}


def judged(monkeypatch, python, verified, choice):
    monkeypatch.setattr(judge_module, "verified_build", lambda: "native")
    monkeypatch.setattr(judge_module, "verified_verdict", lambda *arguments: SAID[verified])
    said = SAID[python]
    answer = KernelAnswer("kernel.py", said.status, str(said), said.statement, {}, 0.0)
    return judge(lambda progress: answer, "somewhere", {}, choice)


@pytest.mark.parametrize("choice", [None, "both"])
@pytest.mark.parametrize(("python", "verified"), list(itertools.product(SAID, SAID)))
def test_all_pairs_of_verdicts(python, verified, choice, monkeypatch):
    """Valid only if some kernel says so and no other says otherwise."""
    if python != verified and "gave up" not in (python, verified):
        with pytest.raises(
            KernelsDisagree, match=r"the kernels disagree: kernel\.py says .*, the verified kernel says "
        ):
            judged(monkeypatch, python, verified, choice)
        return
    found = judged(monkeypatch, python, verified, choice)
    finished = [SAID[name].status for name in (python, verified) if name != "gave up"]
    expected = "incomplete" if not finished or (choice == "both" and len(finished) == 1) else finished[0]
    assert found.status == expected
    assert bool(found.statement) == (found.status == "valid") == (found.error() is None)
    assert found.text.startswith(found.status)
    assert "\n" not in found.text
    if len(finished) == 1:
        assert "gave up: line 9: expected at most 4 steps" in found.text
    assert [answer["verdict"] for answer in found.data()["kernels"]] == [SAID[python].status, SAID[verified].status]


@pytest.mark.parametrize(("choice", "names"), [("python", ["kernel.py"]), ("verified", ["the verified kernel"])])
def test_one_kernel(choice, names, monkeypatch):
    found = judged(monkeypatch, "valid", "valid", choice)
    assert (found.status, [answer.name for answer in found.answers]) == ("valid", names)
    assert found.data()["kernel"] == choice
    assert judged(monkeypatch, "valid", "invalid", choice).status == ("valid" if choice == "python" else "invalid")


def incomplete():
    return [directory for directory in sorted((FOLDER / "incomplete").iterdir()) if "too-many" not in directory.name]


@pytest.mark.parametrize("directory", incomplete(), ids=lambda directory: directory.name)
def test_what_a_certificate_lacks_is_no_giving_up(directory):
    """…in the words of either kernel: if the other one accepts the certificate, it has a bug."""
    for answer in judge_files(str(directory), {}).answers:
        assert (answer.status, answer.gave_up) == ("incomplete", False)


def test_a_limit_is_a_giving_up():
    [directory] = [one for one in (FOLDER / "incomplete").iterdir() if "too-many" in one.name]
    found = judge_files(str(directory), {})
    assert found.status == "incomplete"
    assert all(answer.gave_up for answer in found.answers)


def test_out_of_memory_is_a_giving_up():
    def check():
        raise MemoryError

    answer = python_answer(check)
    assert (answer.status, answer.gave_up) == ("incomplete", True)


@pytest.mark.parametrize("choice", [None, "python"])
def test_files(choice):
    assert check_files(HAT, kernel=choice) == kernel.check(str(HAT), {}).lines
    errors = {"invalid": InvalidCertificate, "malformed": InputError, "incomplete": IncompleteCertificate}
    for status, error in errors.items():
        for directory in sorted((FOLDER / status).iterdir())[:5]:
            with pytest.raises(error, match=status):
                check_files(directory, kernel=choice)


@pytest.mark.parametrize("effort", [0, -1, 1.5, "60", True, 10**6 + 1])
def test_effort_that_is_none(effort):
    with pytest.raises(InputError, match="effort: expected an integer from 1 to 1000000, found "):
        check_files(HAT, effort=effort)


def test_more_effort():
    assert check_files(HAT, effort=60) == check_files(HAT)


def test_a_kernel_that_does_not_exist():
    with pytest.raises(InputError, match="expected one of python, verified, both, found 'coq'"):
        check_files(HAT, kernel="coq")


def test_statements_that_differ_are_told_by_the_first_line_that_does(monkeypatch):
    lines = tuple(f"y{k} = formula on [0,1]" for k in range(500))
    monkeypatch.setitem(SAID, "long", KernelVerdict("valid", None, None, lines))
    monkeypatch.setitem(SAID, "longer", KernelVerdict("valid", None, None, (*lines, "y = formula on [0,1]")))
    told = "the kernels disagree: kernel.py says 'no more', the verified kernel says 'y = formula on [0,1]'"
    with pytest.raises(KernelsDisagree) as error:
        judged(monkeypatch, "long", "longer", None)
    assert str(error.value) == told


def test_progress_says_which_verdicts_are_in(monkeypatch):
    """Whichever kernel is faster."""
    told, python_is_done, verified_is_done = [], threading.Event(), threading.Event()

    def progress(stage, done=0, total=0):
        told.append(stage)
        verified_is_done.set() if "says" in stage else python_is_done.set()

    def slow(*arguments):
        python_is_done.wait(60)
        return SAID["valid"]

    answer = KernelAnswer("kernel.py", "valid", "valid", SAID["valid"].statement, {}, 0.0)
    monkeypatch.setattr(judge_module, "verified_build", lambda: "native")
    monkeypatch.setattr(judge_module, "verified_verdict", slow)
    judge(lambda report: answer, "somewhere", {}, None, progress)
    assert told == ["kernel.py: valid; waiting for the verified kernel"]
    told.clear()
    monkeypatch.setattr(judge_module, "verified_verdict", lambda *arguments: SAID["valid"])

    def patient(report):
        verified_is_done.wait(60)
        return answer

    judge(patient, "somewhere", {}, None, progress)
    assert told == ["checking the certificate, the verified kernel says valid"]


def test_the_verified_kernel_is_asked_for_the_real_files():
    if verified_build() is None:
        pytest.skip("no verified kernel (make -C proofs)")
    found = judge_files(str(HAT), {})
    assert [answer.status for answer in found.answers] == ["valid", "valid"]
    assert found.answers[0].statement == found.answers[1].statement


def test_the_environment_does_not_change_what_numbers_are_read(tmp_path):
    """…nor what is printed: kernel.py alone sets the limit that FORMAT.md names."""
    limit, one = sys.get_int_max_str_digits(), network(([[1, 0]], "relu"))
    try:
        for digits in (0, 640):
            sys.set_int_max_str_digits(digits)
            case = Case(
                ['["bound",1,0,"low","-1",["leaf"]]', f'["bound",1,0,"high","{"9" * 4300}",["leaf"]]'], network=one
            )
            case.write(tmp_path / str(digits))
            assert judge_files(str(tmp_path / str(digits)), {}).status == "valid"
            assert sys.get_int_max_str_digits() == digits
    finally:
        sys.set_int_max_str_digits(limit)


@pytest.mark.parametrize("cut", [30, 60])
def test_a_packed_certificate_that_is_cut_off_is_refused_not_disputed(tmp_path, cut):
    """One kernel may see the end of the file, or a wrong network, first: FORMAT.md allows both."""
    shutil.copytree(HAT, tmp_path / "hat")
    certificate = tmp_path / "hat" / "certificate.jsonl"
    packed = gzip.compress(certificate.read_bytes())
    certificate.unlink()
    (tmp_path / "hat" / "certificate.jsonl.gz").write_bytes(packed[:-cut])
    (tmp_path / "hat" / "network.json").write_text("{}")
    assert judge_files(str(tmp_path / "hat"), {}).status in ("invalid", "malformed")
