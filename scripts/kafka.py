#!/usr/bin/env python3
"""Kafka brokers on the loopback, from Maven's jars, for trying out and for tests.

usage: kafka FOLDER [--nodes 1|3] [--port 9092]

Fetches the jars into FOLDER/jars once, makes the logs in FOLDER/node-N, starts the brokers (KRaft, each
node broker and controller), says `ready HOST:PORT,...` and ends them when it is ended. Logs are kept:
started again, the brokers have what they had.
"""
import argparse
import os
import signal
import socket
import subprocess
import sys
import time

VERSION = "3.9.1"
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>pcgs</groupId><artifactId>kafka-broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{VERSION}</version></dependency>
  </dependencies>
</project>
"""
CLUSTER = "pcgs-on-the-loopback00"  # 22 letters, as Kafka wants them


def fetch_jars(folder):
    """The class path of a broker."""
    jars = os.path.join(folder, "jars")
    if not os.path.exists(os.path.join(jars, "complete")):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "pom.xml"), "w", encoding="utf-8") as pom:
            pom.write(POM)
        print("fetching Kafka's jars", file=sys.stderr)
        subprocess.run(["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars",
                        "-DincludeScope=runtime"], cwd=folder, check=True, stdout=sys.stderr)
        with open(os.path.join(jars, "complete"), "w", encoding="utf-8"):
            pass
    return os.path.join(jars, "*")


def free_ports(count):
    """Nobody has them at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Brokers that are started, killed and started again. `jars` is a folder for what Maven fetches."""

    def __init__(self, jars, folder, nodes=1, port=None):
        self.class_path = fetch_jars(jars)
        self.folder = folder
        self.nodes = range(1, nodes + 1)
        ports = free_ports(2 * nodes)
        if port:
            ports[:nodes] = range(port, port + nodes)
        self.broker = dict(zip(self.nodes, ports))
        self.controller = dict(zip(self.nodes, ports[nodes:]))
        self.processes = {}
        for node in self.nodes:
            self.format(node)

    def bootstrap(self):
        return ",".join(f"127.0.0.1:{self.broker[n]}" for n in self.nodes)

    def properties(self, node):
        voters = ",".join(f"{n}@127.0.0.1:{self.controller[n]}" for n in self.nodes)
        replicas = min(3, len(self.nodes))
        settings = {
            "process.roles": "broker,controller", "node.id": node,
            "controller.quorum.voters": voters, "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.broker[node]},"
                         f"CONTROLLER://127.0.0.1:{self.controller[node]}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.broker[node]}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": os.path.join(self.folder, f"node-{node}"),
            "default.replication.factor": replicas, "offsets.topic.replication.factor": replicas,
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": max(1, replicas - 1),
            "min.insync.replicas": max(1, replicas - 1),
            "offsets.topic.num.partitions": 8, "transaction.state.log.num.partitions": 8,
            "group.initial.rebalance.delay.ms": 0, "group.min.session.timeout.ms": 1000,
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
            "message.max.bytes": 67108864, "auto.create.topics.enable": "false",
        }
        path = os.path.join(self.folder, f"node-{node}.properties")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in settings.items())
        return path

    def java(self, name, *arguments):
        # The class that says nothing; broker's own log would need one more jar.
        return ["java", "-Xmx512m", "-Xms128m", "-cp", self.class_path, name, *arguments]

    def format(self, node):
        if os.path.exists(os.path.join(self.folder, f"node-{node}", "meta.properties")):
            self.properties(node)
            return
        os.makedirs(self.folder, exist_ok=True)
        subprocess.run(self.java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c",
                                 self.properties(node)),
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, node):
        path = os.path.join(self.folder, f"node-{node}.properties")
        with open(os.path.join(self.folder, f"node-{node}.log"), "ab") as log:
            self.processes[node] = subprocess.Popen(self.java("kafka.Kafka", path), stdout=log, stderr=log)

    def kill(self, node):
        self.processes[node].kill()
        self.processes.pop(node).wait()

    def wait_until_ready(self, seconds=120):
        """Every broker takes connections."""
        end = time.monotonic() + seconds
        for node in self.nodes:
            while True:
                if self.processes[node].poll() is not None:
                    raise SystemExit(f"broker {node} ended; see {self.folder}/node-{node}.log")
                try:
                    socket.create_connection(("127.0.0.1", self.broker[node]), 1).close()
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise SystemExit(f"broker {node} does not come up") from None
                    time.sleep(0.2)

    def __enter__(self):
        for node in self.nodes:
            self.start(node)
        self.wait_until_ready()
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--nodes", type=int, choices=(1, 3), default=1)
    parser.add_argument("--port", type=int, default=9092)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Cluster(options.folder, options.folder, options.nodes, options.port) as cluster:
        print(f"ready {cluster.bootstrap()}", flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
