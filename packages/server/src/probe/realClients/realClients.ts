import { REAL_CLIENTS, type RealClientName } from '../../facts/clientIdentities.ts'

/** A program that is installed and run as a client. */
export type RealClient = {
  readonly name: RealClientName
  /** Absolute path of curl, or of the Python that imports the library. */
  readonly program: string
}

/** Returns the index of its identity. */
export const indexOf = ({ name }: RealClient): number => REAL_CLIENTS[name]

/** A request for a program. */
export type ProgramRequest = {
  readonly url: string
  readonly method: string
  /** JSON text. */
  readonly body: string | null
  /** URL of the proxy that it must use. */
  readonly proxy: string
  /** Time after which the program ends by itself. */
  readonly seconds: number
  /** Maximum number of bytes of the body. */
  readonly maxBytes: number
}

/** A program's arguments and its standard input. */
export type Command = { readonly args: readonly string[]; readonly input: string }

/** Writes `{"status", "headers": {name: [value]}}` to standard error and the raw body to standard output. */
const WRITE = `
def write(status, lines, body):
    headers = {}
    for name, value in lines:
        headers.setdefault(name.lower(), []).append(value)
    sys.stderr.write(json.dumps({"status": status, "headers": headers}))
    sys.stdout.buffer.write(body)
`
const READ = `
ask = json.load(sys.stdin)
signal.alarm(ask["seconds"])
more = {} if ask["body"] is None else {"json": json.loads(ask["body"])}
`
const REQUESTS = `import json, signal, sys
import requests
${WRITE}${READ}
session = requests.Session()
session.trust_env = False
proxies = {"http": ask["proxy"], "https": ask["proxy"]}
answer = session.request(ask["method"], ask["url"], proxies=proxies, allow_redirects=False, stream=True, **more)
body = answer.raw.read(ask["maxBytes"] + 1, decode_content=False)
write(answer.status_code, answer.raw.headers.items(), body)
`
const HTTPX = `import json, signal, sys
import httpx
${WRITE}${READ}
client = httpx.Client(trust_env=False, follow_redirects=False, proxy=ask["proxy"], timeout=ask["seconds"])
with client.stream(ask["method"], ask["url"], **more) as answer:
    body = b""
    for part in answer.iter_raw():
        body += part
        if len(body) > ask["maxBytes"]:
            break
    lines = [(name.decode("latin1"), value.decode("latin1")) for name, value in answer.headers.raw]
    write(answer.status_code, lines, body)
`

/** Arguments before a script: neither the environment nor a folder of the user changes what is imported. */
export const PYTHON_ARGS: readonly string[] = ['-I', '-B', '-c']

/** Builds the fixed command of a program. None reads a configuration, keeps cookies or follows redirects. */
export function toCommand({ name }: RealClient, request: ProgramRequest): Command {
  if (name === 'curl') return toCurl(request)
  const script = name === 'requests' ? REQUESTS : HTTPX
  return { args: [...PYTHON_ARGS, script], input: JSON.stringify(request) }
}

function toCurl({ url, method, body, proxy, seconds }: ProgramRequest): Command {
  const asMethod = method === 'HEAD' ? ['--head', '--output', '/dev/null'] : ['--request', method]
  const withBody = ['--header', 'Content-Type: application/json', '--data-binary', '@-']
  const args = [
    // First, or the configuration file is read.
    '-q',
    ...['--silent', '--globoff', '--proto', '=http,https', '--noproxy', '', '--proxy', proxy],
    ...['--max-time', String(seconds), ...asMethod, ...(body === null ? [] : withBody)],
    ...['--write-out', '%{stderr}{"status":%{http_code},"headers":%{header_json}}', '--url', url],
  ]
  return { args, input: body ?? '' }
}
