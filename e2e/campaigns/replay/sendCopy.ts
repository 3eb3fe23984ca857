import { createHash } from 'node:crypto'
import { type Agent, request } from 'node:http'

/** Response to one copy of a payment. */
export type Copy = { readonly status: number; readonly replayed: boolean; readonly digest: string }

/** Sends one copy of a payment. */
export function sendCopy(url: string, agent: Agent, headers: Record<string, string>): Promise<Copy> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers }, (response) => {
      const hash = createHash('sha256')
      response.on('data', (chunk: Buffer) => hash.update(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          replayed: response.headers['idempotent-replayed'] === 'true',
          digest: hash.digest('hex'),
        }),
      )
    })
    call.on('error', (error) => {
      // The seller closed an idle keep-alive connection as it was reused, so it has not read the request.
      if (call.reusedSocket && 'code' in error && error.code === 'ECONNRESET') {
        sendCopy(url, agent, headers).then(resolve, reject)
      } else reject(error)
    })
    call.end()
  })
}
