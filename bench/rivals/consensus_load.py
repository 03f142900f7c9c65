# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""The load of kvstore for consensus.py: as `heddle load` does with Heddle's nodes, batches over
connections that stay open, each waiting for its answers, with so many transactions in flight.

The calls of a batch are those with which Heddle's node hands transactions to CometBFT: only the
last one waits for its check."""

import base64
import http.client
import itertools
import threading
import time
from typing import Callable
from urllib.parse import urlsplit


class KvstoreLoad:
    def __init__(self, urls: list[str], size: int, connections: int, batch: int, in_flight: int,
                 committed: Callable[[], int]):
        self.size, self.batch, self.in_flight, self.committed = size, batch, in_flight, committed
        self.sent = 0
        self.problems = 0  # answers that are errors
        self.said = ""  # by the last of them
        self.must_stop = False
        self.lock = threading.Lock()
        self.batches = itertools.count()
        self.threads = [threading.Thread(target=self.run, args=(urls[i % len(urls)],), daemon=True)
                        for i in range(connections)]

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        self.must_stop = True
        for thread in self.threads:
            thread.join()

    def body(self, number: int) -> str:
        """No transaction twice; `key=value` of `size` bytes."""
        first = number * self.batch
        calls = []
        for i in range(first, first + self.batch):
            value = b"%016x" % (i * 0x9e3779b97f4a7c15 % 2**64)
            data = base64.b64encode((b"%016x=" % i + value * 64)[:self.size])
            calls.append('{"jsonrpc":"2.0","id":%d,"method":"broadcast_tx_%s","params":{"tx":"%s"}}'
                         % (i - first, "sync" if i == first + self.batch - 1 else "async",
                            data.decode()))
        return "[" + ",".join(calls) + "]"

    def run(self, url: str) -> None:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        headers = {"Content-Type": "application/json"}
        body = self.body(next(self.batches))
        while not self.must_stop:
            with self.lock:
                may_send = self.sent - self.committed() + self.batch <= self.in_flight
                if may_send:
                    self.sent += self.batch
            if not may_send:
                time.sleep(0.005)
                continue
            connection.request("POST", "/", body, headers)
            answer = connection.getresponse().read()
            errors = answer.count(b'"error"')
            if errors:
                with self.lock:
                    self.said = answer[answer.index(b'"error"'):][:200].decode(errors="replace")
                    self.problems += errors
                    self.sent -= errors
            body = self.body(next(self.batches))
        connection.close()
