"""Files are written whole or not at all; devices, pipes and links are what they were before."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clausewise.errors import InputError
from clausewise.writing import check_output, is_stream, write_bytes, write_text, writing_text


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir() if path != out)


def test_a_file_is_written_and_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    write_text(out, "früher\r\n")
    assert out.read_bytes() == "früher\r\n".encode()
    with writing_text(out) as file:
        file.write("new\n")
        file.flush()
        assert out.read_bytes() == "früher\r\n".encode()
    assert out.read_bytes() == b"new\n"
    assert beside(out) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_an_error_leaves_the_earlier_file_and_nothing_else(tmp_path: Path, error) -> None:
    out = tmp_path / "out.txt"
    out.write_text("earlier")

    def write_half() -> None:
        with writing_text(out) as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        write_half()
    assert out.read_text() == "earlier"
    assert beside(out) == []


def test_the_mode_of_a_file_is_kept_and_a_new_one_has_the_usual(tmp_path: Path) -> None:
    out, new = tmp_path / "out.txt", tmp_path / "new.txt"
    out.write_text("earlier")
    out.chmod(0o640)
    write_text(out, "later")
    write_text(new, "new")
    usual = tmp_path / "usual.txt"
    usual.touch()
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert new.stat().st_mode == usual.stat().st_mode


def test_links_are_followed_and_stay(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "target.txt"
    link, second = tmp_path / "link.txt", tmp_path / "second.txt"
    link.symlink_to(Path("far") / "target.txt")
    second.symlink_to(link)
    for content in ("new", "again"):  # first through a link that leads to nothing yet
        write_text(second, content)
        assert target.read_text() == content
        assert link.is_symlink()
        assert second.is_symlink()
    assert beside(target) == []


def test_devices_and_pipes_are_written_to(tmp_path: Path) -> None:
    write_text("/dev/null", "gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(link, "through")
    reader.join()
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert is_stream(link)
    assert not is_stream(tmp_path)
    assert beside(pipe) == ["link"]


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_standard_output_keeps_its_place_in_a_file(tmp_path: Path, path: str) -> None:
    code = (
        "import os, sys; from clausewise.writing import write_text; print('before');"
        f"write_text({path!r}, 'middle\\n'); print('after')"
    )
    with (tmp_path / "out.txt").open("w") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert (tmp_path / "out.txt").read_text() == "before\nmiddle\nafter\n"
    assert beside(tmp_path / "out.txt") == []


def test_what_cannot_be_written_is_noticed_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()
    for path, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "missing" / "out.txt", "there is no folder"),
        (tmp_path / "file" / "out.txt", "cannot be written"),
        (tmp_path / "loop", "cannot be written"),
        (Path("/dev/fd/987"), "Bad file descriptor"),
    ]:
        for attempt in (check_output, lambda path: write_text(path, "x")):
            with pytest.raises(InputError, match=message) as caught:
                attempt(path)
            assert caught.value.path == str(path)
    check_output(tmp_path / "new.txt")
    check_output("/dev/stdout")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is protected from root")
def test_protected_files_and_folders_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("earlier")
    out.chmod(0o444)
    with pytest.raises(InputError, match="protected"):
        write_text(out, "new")
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o555)
    with pytest.raises(InputError, match="no files can be made"):
        check_output(folder / "out.txt")
    assert out.read_text() == "earlier"


def _limited() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize("how", ["write_text(out, 'x' * 5000)", "write_many()"])
def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path, how: str) -> None:
    out = tmp_path / "out.txt"
    out.write_text("earlier")
    code = f"""
from clausewise.writing import write_text, writing_text
from clausewise.errors import InputError
out = {str(out)!r}
def write_many():
    with writing_text(out) as file:
        for _ in range(5000):
            file.write("x")
try:
    {how}
except InputError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=_limited,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{out}: cannot be written: File too large\n"
    assert done.stderr == ""
    assert out.read_text() == "earlier"
    assert beside(out) == []


@pytest.mark.parametrize("unnamed", [True, False])
def test_files_are_written_with_and_without_a_name(tmp_path, monkeypatch, unnamed) -> None:
    if not unnamed:
        monkeypatch.setattr("clausewise.writing._open_unnamed", lambda folder: None)
    out = tmp_path / "out.txt"
    for content in ("new", "replaced"):
        write_text(out, content)
        assert out.read_text() == content
        assert out.stat().st_nlink == 1
    assert beside(out) == []


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no unnamed files")
def test_a_killed_process_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("earlier")
    try:
        os.close(os.open(tmp_path, os.O_WRONLY | os.O_TMPFILE))
    except OSError:
        pytest.skip("the file system has no unnamed files")
    code = (
        "import os, signal; from clausewise.writing import writing_text\n"
        f"with writing_text({str(out)!r}) as file:\n"
        "    file.write('x' * 100_000); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert out.read_text() == "earlier"
    assert beside(out) == []


def test_a_full_device_is_a_clear_error() -> None:
    with pytest.raises(InputError, match=r"/dev/full: cannot be written: No space left on device"):
        write_bytes("/dev/full", b"x")
