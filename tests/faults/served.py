"""A service that is started, asked and ended by tests. Its log says which port it has."""

import http.client
import json
import signal
import socket
import subprocess


class Service:
    def __init__(self, program, store, limit=None, arguments=()):
        self.arguments = [program, "serve", "--store", store, "--listen", "127.0.0.1:0", "--in-memory", "1", *arguments]
        self.start(limit)

    def start(self, limit=None):
        """`limit` is called in the new process before it becomes the service."""
        self.process = subprocess.Popen(self.arguments, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        line = json.loads(self.process.stderr.readline())
        assert line["event"] == "listening", line
        self.port = line["port"]

    def stop(self, how):
        self.process.send_signal(how)
        code = self.process.wait()
        assert code == (0 if how == signal.SIGTERM else -how), code
        self.process.stderr.close()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, None if body is None else json.dumps(body))
        answer = connection.getresponse()
        result = answer.status, json.loads(answer.read())
        connection.close()
        return result

    def send_and_kill(self, path, body):
        """The request may or may not be done; nobody is told."""
        text = json.dumps(body)
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
            self.stop(signal.SIGKILL)
