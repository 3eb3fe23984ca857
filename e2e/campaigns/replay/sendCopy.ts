import { createHash } from 'node:crypto'
import { type Agent, request } from 'node:http'

/** What one copy of a payment got. */
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
      // The seller closed a connection that had been idle, just as it was taken again: nobody has read the request.
      if (call.reusedSocket && 'code' in error && error.code === 'ECONNRESET') {
        sendCopy(url, agent, headers).then(resolve, reject)
      } else reject(error)
    })
    call.end()
  })
}
