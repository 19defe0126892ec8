"""A service that combines forecasts: two requests over HTTP, with nothing but Python's own server.

    python3 service.py --experts naive,ets,weather --season 24,168 --state state [--port 8080]

    POST /forecast  {"forecasts": {"naive": 454.0, "ets": 432.0}}     a name that is missing sleeps
                ->  {"round": 1, "forecast": 443.0, "intervals": {"0.8": [...], "0.95": [...]}}
    POST /outcome   {"round": 1, "y": 408.9}                          late ones, too, in any order
                ->  {"learned": 1}

The state is saved before a request is answered, so that the service can be killed at any time: what
was answered is known to the next one that is started with this file. An error is answered with 400 and
{"error": "a sentence"}, and changes nothing.

It listens on this machine only and knows no passwords: what faces a network belongs in front of it.
"""

import argparse
import http.server
import json
import math
import pathlib

import pcgs

LARGEST = 1 << 20  # bytes of a request


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experts", required=True, help="names, with commas between them")
    parser.add_argument("--season", default="", help="rounds in a season, or in two: 24,168")
    parser.add_argument("--state", type=pathlib.Path, required=True, help="file to go on from")
    parser.add_argument("--port", type=int, default=0, help="0, the default: any free one")
    return parser.parse_args()


def aggregator(options):
    names = options.experts.split(",")
    if not options.state.exists():
        season = [int(rounds) for rounds in options.season.split(",") if rounds]
        return pcgs.Aggregator(names, "blend", season=season, intervals=(0.8, 0.95))
    agg = pcgs.Aggregator.load(options.state)
    if agg.names != names:
        raise SystemExit(f"{options.state} was made for {agg.names}, and not for {names}")
    return agg


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 10  # seconds that a client may take to send its request

    def forecast(self, request):
        said = request["forecasts"]
        agg = self.server.aggregator
        unknown = sorted(set(said) - set(agg.names))
        if unknown:
            raise ValueError(f"there is no expert {unknown[0]}; there are {', '.join(agg.names)}")
        combined = agg.predict([float(said.get(name, math.nan)) for name in agg.names])
        return {
            "round": agg.last_opened,
            "forecast": None if math.isnan(combined) else combined,
            "intervals": {str(level): ends for level, ends in agg.intervals().items()},
        }

    def outcome(self, request):
        self.server.aggregator.learn(float(request["y"]), round=int(request["round"]))
        return {"learned": self.server.aggregator.rounds}

    def do_POST(self):
        actions = {"/forecast": self.forecast, "/outcome": self.outcome}
        try:
            size = int(self.headers.get("Content-Length", 0))
            if self.path not in actions or not 0 < size <= LARGEST:
                raise ValueError("post JSON to /forecast or /outcome")
            answer = actions[self.path](json.loads(self.rfile.read(size)))
        except KeyError as error:
            return self.answer(400, {"error": f"{error} is missing"})
        except (AttributeError, TypeError, ValueError) as error:  # pcgs.Error is a ValueError
            return self.answer(400, {"error": str(error)})
        self.server.aggregator.save(self.server.state)
        self.answer(200, answer)

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    options = parse()
    with http.server.HTTPServer(("127.0.0.1", options.port), Handler) as server:
        server.aggregator, server.state = aggregator(options), options.state
        print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
