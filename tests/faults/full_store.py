"""The disk takes no more: the service says so, answers nothing that is not on it, and goes on from there.

full_store.py PROGRAM

Files may not grow beyond a limit, which to a program is a disk that is full."""

import pathlib
import resource
import signal
import sys
import tempfile

from served import Service

LIMIT = 100_000


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def round_of(t):
    return {"id": f"t{t}", "forecasts": {"a": t * 0.5, "b": t * 0.25}}


def main():
    with tempfile.TemporaryDirectory() as name:
        service = Service(sys.argv[1], pathlib.Path(name) / "store", small_files)
        assert service.ask("PUT", "/streams/n", {"experts": ["a", "b"], "method": "ml-poly"})[0] == 201
        answers = []
        while True:
            status, answer = service.ask("POST", "/streams/n/rounds", round_of(len(answers)))
            if status != 200:
                break
            answers.append(answer)
            assert len(answers) < LIMIT, "the limit was never reached"
        assert status == 503 and "cannot be written" in answer["error"], (status, answer)
        for route in ("/health", "/ready"):
            assert service.ask("GET", route)[0] == 503, route
        # Memory may be ahead of the disk now, so nothing is answered from it.
        assert service.ask("POST", "/streams/n/rounds", round_of(0))[0] == 503
        service.stop(signal.SIGTERM)
        service.start()
        # An answer that was sent before its commit would be missing here.
        opened = service.ask("GET", "/streams/n")[1]["open"]
        assert opened == [f"t{t}" for t in range(len(answers))], opened
        for t, answer in enumerate(answers):
            assert service.ask("POST", "/streams/n/rounds", round_of(t)) == (200, answer), t
        status, answer = service.ask("POST", "/streams/n/rounds", round_of(len(answers)))
        assert status == 200, answer
        service.stop(signal.SIGTERM)
        print(f"full after {len(answers)} rounds, all of which were there afterwards")


main()
