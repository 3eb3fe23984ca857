# Pays TARGET_URL through the guard's proxy, with the standard library alone. It holds a token and no key.
import os
import urllib.error
import urllib.request

url = os.environ["PROXY_URL"].rstrip("/") + "/" + os.environ["TARGET_URL"]
request = urllib.request.Request(url, headers={"Touchstone-Token": os.environ["PROXY_TOKEN"]})
# No proxy of the system stands between the agent and the guard.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    with opener.open(request, timeout=20) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
