# Calls each "METHOD URL SECONDS" of standard input through the proxy, and repeats a call that took longer.
import os, sys, urllib.error, urllib.request
from concurrent.futures import ThreadPoolExecutor


def call(line):
    method, url, seconds = line.split()
    headers = {"Touchstone-Token": os.environ["TOKEN"]}
    request = urllib.request.Request(f"{os.environ['PROXY']}/{url}", method=method, headers=headers)
    tries = []
    for _ in range(20):
        try:
            try:
                answer = urllib.request.urlopen(request, timeout=float(seconds))
            except urllib.error.HTTPError as refusal:
                answer = refusal
            body = answer.read().decode(errors="replace")
            return f"{''.join(tries)}@@ {method} {url}\nHTTP/1.1 {answer.status}\n{answer.headers}{body}\n"
        except OSError:
            tries.append(f"@@ {method} {url}\n")
    return "".join(tries)


with ThreadPoolExecutor(int(os.environ.get("AT_ONCE", "1"))) as pool:
    for text in pool.map(call, sys.stdin):
        print(text, end="")
