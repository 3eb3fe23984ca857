# Pays each "METHOD URL" of standard input without a key: builds the typed data from the 402, has it signed by the proxy,
# and repeats the call with the payment. It tries to have other terms signed first, as a manipulated agent would.
import base64, json, os, secrets, sys, time, urllib.error, urllib.request


def ask(method, path, body=None, headers={}):
    url = f"{os.environ['PROXY']}/{path}"
    data = None if body is None else json.dumps(body).encode()
    given = {"Touchstone-Token": os.environ["TOKEN"], **headers}
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, data, given, method=method), timeout=20)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    return answer.status, answer.headers, answer.read().decode(errors="replace"), answer.url.removeprefix(os.environ["PROXY"] + "/")


def sign(offer, message):
    chain = 8453 if offer["network"] == "base" else int(offer["network"].split(":")[1])
    kinds = {"from": "address", "to": "address", "nonce": "bytes32"}
    data = {
        "domain": {**offer["extra"], "chainId": chain, "verifyingContract": offer["asset"]},
        "types": {"TransferWithAuthorization": [{"name": n, "type": kinds.get(n, "uint256")} for n in message]},
        "primaryType": "TransferWithAuthorization",
        "message": message,
    }
    status, _, body, _ = ask("POST", "sign", data)
    return json.loads(body)["signature"] if status == 200 else None


def pay(method, url, address):
    status, headers, body, url = ask(method, url)
    shown = headers["PAYMENT-REQUIRED"]
    challenge = json.loads(base64.b64decode(shown) if shown else body) if status == 402 else {}
    if "accepts" not in challenge:
        return status, headers, body, url
    offer = challenge["accepts"][0]
    value = offer.get("amount") or offer["maxAmountRequired"]
    message = {"from": address, "to": offer["payTo"], "value": value, "validAfter": "0"}
    message |= {"validBefore": str(int(time.time()) + offer["maxTimeoutSeconds"]), "nonce": "0x" + secrets.token_hex(32)}
    for other in {"to": address}, {"value": value + "0"}, {"validBefore": str(2**40)}:
        print("FORGED" if sign(offer, {**message, **other}) else "refused", other)
    payload = {"signature": sign(offer, message), "authorization": message}
    payment = {"x402Version": challenge["x402Version"], "payload": payload}
    if shown:
        payment |= {"accepted": offer, "resource": challenge["resource"]}
    else:
        payment |= {"scheme": offer["scheme"], "network": offer["network"]}
    header = "PAYMENT-SIGNATURE" if shown else "X-PAYMENT"
    return ask(method, url, None, {header: base64.b64encode(json.dumps(payment).encode()).decode()})


account = json.loads(ask("GET", "account")[2])["address"]
for line in sys.stdin:
    method, url, *_ = line.split()
    status, headers, body, _ = pay(method, url, account)
    print(f"@@ {method} {url}\nHTTP/1.1 {status}\n{headers}{body}")
