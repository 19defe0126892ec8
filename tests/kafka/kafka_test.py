#!/usr/bin/env python3
"""Workers over a real broker, killed again and again: every event is answered once, as offline.

usage: kafka_test.py PCGS STREAM_STATES JARS [--streams 2000] [--events 100] [--kills 20] [--broker-kills 3]
                     [--stops 3] [--nodes 1] [--seed 1]

Makes up streams, sends their events in a random order of streams, and lets two workers answer them while
it kills workers and brokers, and stops workers past their session time-out and wakes them up. Then every
answer is compared with those of stream_states, which applies the same events in memory, forecasts are
compared with `pcgs run --by`, and a worker without a cache is started, whose streams must be the same
bytes. Loopback only; everything is bounded and ended by its process. JARS is a folder for what Maven
fetches. Needs python3-confluent-kafka.
"""
import argparse
import csv
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from kafka import Cluster  # noqa: E402  scripts/kafka.py

PARTITIONS = 8
SESSION_SECONDS = 4
AT_MOST_SECONDS = 1500
EXPERTS = ["a", "b", "c"]


def made_up(streams, events, draw):
    """(stream, line) in the order in which they are sent, and the rows of streams without late outcomes."""
    logs, rows = [], []
    for s in range(streams):
        name = f"s{s}"
        late = s % 4 == 0
        method = {} if s % 10 == 0 else {"method": "fixed-share"}
        log = [{"make": {"experts": EXPERTS, **method}}]
        y, waiting = 100.0, []
        for t in range((events - 2) // 2):
            y += draw.gauss(0, 1)
            forecasts = {k: y + draw.gauss(0, 1 + i) if draw.random() > 0.05 else None
                         for i, k in enumerate(EXPERTS)}
            log.append({"round": {"id": str(t), "forecasts": forecasts}})
            waiting.append({"outcome": {"id": str(t), "y": y}})
            if not late:
                rows.append([name, y, *forecasts.values()])
            if not late or len(waiting) == 3:
                log.append(waiting.pop(0))
        log += waiting
        log.append(draw.choice([log[-1], {"outcome": {"id": "no such round", "y": 1}}, {"round": {}}]))
        logs.append([(name, json.dumps({"stream": name, **event})) for event in log])
    sent = []
    left = [s for s in range(streams) for _ in logs[s]]
    draw.shuffle(left)
    at = [0] * streams
    for s in left:
        sent.append(logs[s][at[s]])
        at[s] += 1
    return sent, rows


class Worker:
    def __init__(self, program, bootstrap, folder, name):
        config = os.path.join(folder, "settings")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"session.timeout.ms={1000 * SESSION_SECONDS}\nheartbeat.interval.ms=1000\n"
                       "transaction.timeout.ms=15000\n")
        self.arguments = [program, "worker", "--brokers", bootstrap, "--events", "events", "--answers",
                          "answers", "--changelog", "states", "--group", "workers", "--cache",
                          os.path.join(folder, name), "--config", config, "--in-memory", "100", "--replay", "3000"]
        self.log = os.path.join(folder, f"{name}.log")
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.began = log.tell()
            self.process = subprocess.Popen(self.arguments, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def lines(self, since=0):
        with open(self.log, encoding="utf-8") as log:
            log.seek(since)
            for text in log:
                try:
                    yield json.loads(text)
                except json.JSONDecodeError:  # cut off by a kill
                    pass

    def said(self, event, since=0):
        return sum(line["event"] == event for line in self.lines(since))

    def end(self):
        # Before it works, a signal ends it as any program.
        end = time.monotonic() + 60
        while not self.said("working", self.began) and time.monotonic() < end:
            time.sleep(0.1)
        self.process.terminate()
        code = self.process.wait(60)
        if code != 0:
            raise SystemExit(f"a worker ended with {code}; see {self.log}")


class Sender(threading.Thread):
    """Sends events, and knows where each of them came to lie. Never far ahead of the answers."""

    def __init__(self, bootstrap, sent, ahead):
        super().__init__(daemon=True)
        self.producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True,
                                  "linger.ms": 5, "message.timeout.ms": 600000})
        self.sent, self.ahead = sent, ahead
        self.where = [None] * len(sent)
        self.answered = 0
        self.more = threading.Condition()

    def delivered(self, index):
        def note(error, message):
            if error is not None:
                raise SystemExit(f"event {index} was not sent: {error}")
            self.where[index] = (message.partition(), message.offset())
        return note

    def run(self):
        for i, (stream, line) in enumerate(self.sent):
            with self.more:
                self.more.wait_for(lambda i=i: i < self.answered + self.ahead)
            while True:
                try:
                    self.producer.produce("events", line, stream, on_delivery=self.delivered(i))
                    break
                except BufferError:
                    self.producer.poll(0.1)
            self.producer.poll(0)
        self.producer.flush()

    def now_answered(self, count):
        with self.more:
            self.answered = count
            self.more.notify()


class Answers:
    """Committed answers by the place of their event; a second one to the same event is counted."""

    def __init__(self, bootstrap):
        self.consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "reader",
                                  "isolation.level": "read_committed", "enable.auto.commit": False,
                                  "auto.offset.reset": "earliest"})
        self.consumer.assign([TopicPartition("answers", p, 0) for p in range(PARTITIONS)])
        self.by_event, self.doubled = {}, 0

    def read(self, seconds):
        for message in self.consumer.consume(5000, seconds):
            if message.error():
                continue
            place = tuple(int(x) for x in dict(message.headers())["pcgs-event"].decode().split(":"))
            self.doubled += place in self.by_event
            self.by_event[place] = message.value().decode()


def make_topics(bootstrap):
    admin = AdminClient({"bootstrap.servers": bootstrap})
    topics = [NewTopic(name, PARTITIONS, -1) for name in ("events", "answers")]
    for made in admin.create_topics(topics, operation_timeout=60).values():
        made.result(120)


class Trouble:
    """What goes wrong, and after how many answers."""

    def __init__(self, cluster, workers, total, options, draw):
        kinds = (["worker"] * options.kills + ["broker"] * options.broker_kills + ["stop"] * options.stops)
        draw.shuffle(kinds)
        # In the first nine tenths, so that there is something left to be done.
        self.plan = [(int(total * 0.9 * (i + 1) / (len(kinds) + 1)), kind) for i, kind in enumerate(kinds)]
        self.cluster, self.workers, self.draw = cluster, workers, draw
        self.done = []

    def after(self, answered):
        while self.plan and answered >= self.plan[0][0]:
            kind = self.plan.pop(0)[1]
            getattr(self, kind)()
            self.done.append(kind)

    def worker(self):
        one = self.draw.choice(self.workers)
        one.kill()
        one.start()

    def broker(self):
        node = self.draw.choice(list(self.cluster.nodes))
        self.cluster.kill(node)
        self.cluster.start(node)
        self.cluster.wait_until_ready()

    def stop(self):
        """The others are given its partitions; then it wakes up, with a transaction that nobody wants."""
        one = self.draw.choice(self.workers)
        one.process.send_signal(signal.SIGSTOP)
        # The group has given it up; its transaction may still be open, or may have been ended as well.
        time.sleep(self.draw.choice([1.75, 5]) * SESSION_SECONDS)
        one.process.send_signal(signal.SIGCONT)


def size_of(folder, topic):
    """Bytes of its segments on the first broker."""
    return sum(os.path.getsize(path)
               for path in glob.glob(os.path.join(folder, "kafka", "node-1", f"{topic}-*", "*.log")))


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def check_forecasts(program, folder, rows, sent, expected):
    """The answers that are expected are those of `pcgs run`, for streams without late outcomes."""
    blends = {f"s{s}" for s in range(0, len(sent), 10)}
    differing = compared = 0
    for method, mine in (("blend", lambda name: name in blends), ("fixed-share", lambda name: name not in blends)):
        path = os.path.join(folder, f"{method}.csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["stream", "y", *EXPERTS])
            writer.writerows([name, *("" if x is None else repr(x) for x in rest)]
                             for name, *rest in rows if mine(name))
        subprocess.run([program, "run", path, "--y", "y", "--by", "stream", "--method", method, "--quiet",
                        "--out", os.path.join(folder, method)], check=True, stdout=subprocess.DEVNULL)
        offline = {}
        with open(os.path.join(folder, method, "forecasts.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                offline.setdefault(row["stream"], []).append(row[method])
        served = {}
        for (name, line), answer in zip(sent, expected):
            if name in offline and '"round": {"id"' in line:
                # The last event may be a round that was sent before.
                served.setdefault(name, {})[json.loads(line)["round"]["id"]] = json.loads(answer)["forecast"]
        for name, values in offline.items():
            for value, forecast in zip(values, served[name].values(), strict=True):
                compared += 1
                differing += (value == "") != (forecast is None) or (value != "" and float(value) != forecast)
    return compared, differing


def main():
    parser = argparse.ArgumentParser()
    for name in ("pcgs", "stream_states", "jars"):
        parser.add_argument(name)
    for name, usual in (("streams", 2000), ("events", 100), ("kills", 20), ("broker-kills", 3), ("stops", 3), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--nodes", type=int, choices=(1, 3), default=1)
    parser.add_argument("--folder", help="for what is written; made if it is not there, and kept")
    options = parser.parse_args()
    if options.folder:
        os.makedirs(options.folder)
        work(options, options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        work(options, folder)


def work(options, folder):
    draw = random.Random(options.seed)
    sent, rows = made_up(options.streams, options.events, draw)
    events, answers, states = (os.path.join(folder, n) for n in ("events", "answers", "offline-states"))
    with open(events, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for _, line in sent)
    subprocess.run([options.stream_states, "replay", events, answers, states], check=True)
    expected = read_lines(answers)
    compared, differing = check_forecasts(options.pcgs, folder, rows, sent, expected)
    print(f"{compared} forecasts of pcgs run, {differing} differ", flush=True)

    with Cluster(options.jars, os.path.join(folder, "kafka"), options.nodes) as cluster:
        bootstrap = cluster.bootstrap()
        make_topics(bootstrap)
        workers = []
        try:
            workers += [Worker(options.pcgs, bootstrap, folder, f"worker-{i}") for i in (1, 2)]
            sender = Sender(bootstrap, sent, ahead=len(sent) // 40)
            sender.start()
            trouble = Trouble(cluster, workers, len(sent), options, draw)
            got = Answers(bootstrap)
            begin = time.monotonic()
            while len(got.by_event) < len(sent) and time.monotonic() < begin + AT_MOST_SECONDS:
                got.read(0.5)
                sender.now_answered(len(got.by_event))
                trouble.after(len(got.by_event))
                for one in workers:
                    if one.process.poll() is not None:
                        raise SystemExit(f"a worker ended by itself; see {one.log}")
            seconds = time.monotonic() - begin
            for one in workers:
                one.end()
            for _ in range(5):  # whatever would be one too many
                got.read(1)
            aborted = sum(one.said("transaction aborted") for one in workers)
            fresh = Worker(options.pcgs, bootstrap, folder, "fresh")
            workers.append(fresh)
            begin = time.monotonic()
            while fresh.said("partition restored") < PARTITIONS and time.monotonic() < begin + 300:
                time.sleep(0.2)
            restoring = time.monotonic() - begin
            fresh.end()
        finally:
            for one in workers:
                if one.process.poll() is None:
                    one.kill()

    restored = os.path.join(folder, "restored-states")
    subprocess.run([options.stream_states, "cache", os.path.join(folder, "fresh"), restored], check=True)
    missing = wrong = 0
    for place, answer in zip(sender.where, expected):
        missing += place not in got.by_event
        wrong += place in got.by_event and got.by_event[place] != answer
    before, after = set(read_lines(states)), set(read_lines(restored))
    bad_states = len(before ^ after)
    done = trouble.done
    replayed = sum(line.get("replayed", 0) for line in fresh.lines())
    print(f"{len(sent)} events of {options.streams} streams in {seconds:.0f} s; {done.count('worker')} workers and "
          f"{done.count('broker')} brokers killed, {done.count('stop')} stopped and woken, {aborted} "
          f"transactions aborted; answers: {missing} missing, {got.doubled} doubled, {wrong} differ from offline; "
          f"states: {len(before)}, {bad_states} differ from offline in a worker without a cache, which replayed "
          f"{replayed} events and took {restoring:.1f} s; changelog {size_of(folder, 'states') / 1e6:.0f} MB, "
          f"events {size_of(folder, 'events') / 1e6:.0f} MB on each broker")
    if options.stops and not aborted:
        print("no transaction was aborted: whoever was stopped had none")
    if differing or missing or got.doubled or wrong or bad_states or trouble.plan:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
