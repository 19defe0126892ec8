#!/usr/bin/env python3
"""How much a service takes, everything durable, with client and server on the same machine, beside its limits.

usage: serve_load.py PCGS BATCH_BENCH OUT [--seconds 60] [--streams 200] [--connections 64]

Starts `pcgs serve` on the loopback with an empty store for each row, plays streams of three experts, and
ends it again. OUT gets serve-load.csv, the table of docs/serving.md. Every answer is checked to be one;
tests/faults/kill_serve.py checks what they say.

Rows: many events in a request (500 lines, two connections in turn); one event in a request over many
connections, each asking again as soon as it is answered; the same at half that rate, for latencies.

Limits, for the same time after each row: the same requests to a service that does not sync (what HTTP, JSON and
the methods allow), and pcgs_batch_bench, which writes as many events in each batch as the row had in each
commit (what the disk allows).
"""
import argparse
import collections
import csv
import itertools
import json
import random
import selectors
import signal
import socket
import subprocess
import tempfile
import time

LINES = 500


class Service:
    def __init__(self, program, folder, *arguments):
        self.process = subprocess.Popen([program, "serve", "--store", folder, "--listen", "127.0.0.1:0", *arguments],
                                        stderr=subprocess.PIPE, text=True)
        line = json.loads(self.process.stderr.readline())
        if line["event"] != "listening":
            raise SystemExit(f"serve did not start: {line}")
        self.port = line["port"]

    def events_and_commits(self):
        _, text = Connection(self.port).ask("GET", "/metrics", "")
        metrics = dict(line.split() for line in text.decode().splitlines() if line.startswith("pcgs_") and "{" not in line)
        return float(metrics["pcgs_events_total"]), float(metrics["pcgs_commit_seconds_count"])

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return 1024 * next(int(l.split()[1]) for l in status if l.startswith("VmRSS"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


class Connection:
    """Sends a request, and takes in its answer piece by piece."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def send(self, method, path, body):
        body = body.encode()
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
                            .encode() + body)

    def receive(self):
        """The status and the body, or None while some of it is still to come."""
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise SystemExit("the service closed a connection")
        self.received += piece
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        if len(body) < length:
            return None
        self.received = body[length:]
        return int(head.split()[1]), body[:length]

    def ask(self, method, path, body):
        self.send(method, path, body)
        while (answer := self.receive()) is None:
            pass
        return answer


def make_streams(port, count, method):
    connection = Connection(port)
    spec = {"experts": ["a", "b", "c"], **({"method": method} if method else {})}
    for s in range(count):
        status, body = connection.ask("PUT", f"/streams/s{s}", json.dumps(spec))
        if status != 201:
            raise SystemExit(body.decode())
    connection.socket.close()  # it would take the place of another one


def events_of(streams):
    """Without end: a round of each of these streams, then their outcomes."""
    draw = random.Random(1)
    for turn in itertools.count():
        for s in streams:
            x, y = draw.random(), turn + s
            yield s, "round", f'{{"id":"{turn}","forecasts":{{"a":{y + x},"b":{y - x},"c":{y + 2 * x}}}}}'
        for s in streams:
            yield s, "outcome", f'{{"id":"{turn}","y":{turn + s}}}'


def check(status, body):
    if status != 200 or b'"error"' in body:
        raise SystemExit(f"{status}: {body[:300].decode()}")


def in_groups(service, streams, seconds):
    """Events a second, many in each request."""
    events = events_of(range(streams))
    pair = [Connection(service.port), Connection(service.port)]

    def request():
        lines = itertools.islice(events, LINES)
        return "".join(f'{{"stream":"s{s}","{kind}":{body}}}\n' for s, kind, body in lines)

    pair[0].send("POST", "/events", request())
    done, begin = 0, time.monotonic()
    while (now := time.monotonic()) < begin + seconds:
        body = request()  # while the service works on the other one
        while (answer := pair[0].receive()) is None:
            pass
        pair[1].send("POST", "/events", body)
        check(*answer)
        done += LINES
        pair.reverse()
    while (answer := pair[0].receive()) is None:
        pass
    check(*answer)
    return done / (now - begin)


def one_by_one(service, streams, seconds, connections, rate=None):
    """Requests a second and the latencies, over connections of which each waits for its answer.

    A stream keeps to its connection: no outcome overtakes its round."""
    poll = selectors.DefaultSelector()
    # In turn, so that none is idle for so long that the service closes it.
    idle = collections.deque(Connection(service.port) for _ in range(connections))
    for i, connection in enumerate(idle):
        connection.events = events_of(range(i, streams, connections))
        poll.register(connection.socket, selectors.EVENT_READ, connection)
    asked, latencies = {}, []
    begin = time.monotonic()
    due = begin
    while (now := time.monotonic()) < begin + seconds or asked:
        while idle and now < begin + seconds and (rate is None or due <= now):
            connection = idle.popleft()
            s, kind, body = next(connection.events)
            connection.send("POST", f"/streams/s{s}/{kind}s", body)
            # Late, if no connection was free: that is waiting, too.
            asked[connection] = now if rate is None else due
            if rate is not None:
                due += 1 / rate
        for key, _ in poll.select(0.001 if rate else 1):
            connection = key.data
            answer = connection.receive()
            if answer is None:
                continue
            check(*answer)
            latencies.append(time.monotonic() - asked.pop(connection))
            idle.append(connection)
    return len(latencies) / (time.monotonic() - begin), sorted(latencies)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pcgs")
    parser.add_argument("batch_bench")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    rows = []

    def played(method, measure, *arguments):
        with tempfile.TemporaryDirectory() as folder, Service(options.pcgs, folder, *arguments) as service:
            make_streams(service.port, options.streams, method)
            before = service.events_and_commits()
            rate, latencies = measure(service, options.streams)
            events, commits = (now - then for now, then in zip(service.events_and_commits(), before))
            return rate, latencies, events / commits, service.resident_bytes()

    def raw_batches(events):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([options.batch_bench, f"{folder}/raw", str(round(events)), str(options.seconds)],
                                  stdout=subprocess.PIPE, text=True, check=True)
        return float(done.stdout)

    def measured(what, method, measure, has_limits=True):
        rate, latencies, group, memory = played(method, measure)
        at = [f"{1000 * latencies[int(p * (len(latencies) - 1))]:.1f}" if latencies else ""
              for p in (0.5, 0.9, 0.99)]
        limits = [played(method, measure, "--unsafe-no-sync")[0], raw_batches(group)] if has_limits else []
        beside = [text for limit in limits for text in (f"{limit:.0f}", f"{100 * rate / limit:.0f} %")] or [""] * 4
        rows.append([what, method or "default", f"{rate:.0f}", *beside, f"{group:.0f}", *at,
                     f"{memory / options.streams / 1000:.0f}"])
        print(*rows[-1], sep=", ", flush=True)
        return rate

    connections = options.connections
    for method in ("fixed-share", None):
        measured(f"/events, {LINES} lines", method, lambda *on: (in_groups(*on, options.seconds), []))
        rate = measured(f"single requests, {connections} connections", method,
                        lambda *on: one_by_one(*on, options.seconds, connections))
        measured("single requests at half that rate", method,
                 lambda *on, half=rate / 2: one_by_one(*on, options.seconds, connections, half), has_limits=False)
    with open(f"{options.out}/serve-load.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [["asked", "method", "events a second", "not synced", "of that", "raw batches", "of that", "events a commit",
              "50 %, ms", "90 %, ms", "99 %, ms", "kB a stream"], *rows])


if __name__ == "__main__":
    main()
