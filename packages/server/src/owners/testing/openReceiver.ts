import { createServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { Webhook as Verifier } from 'standardwebhooks'
import { onTestFinished } from 'vitest'
import { createPublicFetch } from '../../probe/createPublicFetch.ts'
import { makeSelfSigned } from '../../probe/testing/selfSigned.ts'

/** A message as it came, verified by its signature if the secret is known. */
export type Received = { readonly id: string; readonly body: Record<string, unknown> }

const lookup: LookupFunction = (_name, _options, answer) =>
  answer(null, [{ address: '127.0.0.1', family: 4 }])

/**
 * Serves an HTTPS receiver until the test ends. It verifies each message by the library that receivers use, repeats
 * challenges, and answers as the test sets.
 */
export async function openReceiver() {
  const names = ['hooks.test', 'other.test']
  const certificate = makeSelfSigned(names)
  const received: Received[] = []
  const faults: unknown[] = []
  let secret = ''
  let answer: (body: Record<string, unknown>) => {
    status: number
    text?: string
    headers?: Record<string, string>
  } = ({ challenge }) => ({ status: 200, text: String(challenge ?? '') })
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const payload = Buffer.concat(chunks).toString()
    const headers = Object.fromEntries(
      ['id', 'timestamp', 'signature'].map((name) => [
        `webhook-${name}`,
        String(request.headers[`webhook-${name}`]),
      ]),
    )
    try {
      const body = new Verifier(secret).verify(payload, headers) as Record<string, unknown>
      received.push({ id: `${headers['webhook-id']}`, body })
      const { status, text = '', headers: more = {} } = answer(body)
      response.writeHead(status, more).end(text)
    } catch (error) {
      faults.push(error)
      response.writeHead(401).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const reach = createPublicFetch({ lookup, allowPrivate: [`127.0.0.1:${port}`], ca: [certificate.cert] })
  onTestFinished(async () => {
    await reach.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `https://hooks.test:${port}/in?token=hidden`,
    port,
    fetch: reach.fetch,
    received,
    faults,
    /** Types of the received messages. */
    types: () => received.map(({ body }) => body.type),
    know: (known: string) => {
      secret = known
    },
    answerWith: (next: typeof answer) => {
      answer = next
    },
  }
}
