/** A client that the prober can appear as: its number for the record, and the headers that it sends. */
export type ClientIdentity = {
  /** Its index as text. Records are public, and a telling name would tell a seller whom to watch for. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The identities of the prober. The first says who it is; the others send what widespread agent clients send, byte
 * for byte and in their order, so that a seller with other terms for other clients can be seen.
 * @param contact URL or address that stands in the first one's user agent
 */
export function createClients(contact: string): readonly ClientIdentity[] {
  return [
    {
      id: '0',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': `Touchstone/0.1 (+${contact})`,
      },
    },
    {
      // The global fetch of Node 20.
      id: '1',
      headers: {
        accept: '*/*',
        'accept-language': '*',
        'sec-fetch-mode': 'cors',
        'user-agent': 'node',
        'accept-encoding': 'gzip, deflate',
      },
    },
    {
      // httpx 0.28, under most Python agents.
      id: '2',
      headers: {
        accept: '*/*',
        'accept-encoding': 'gzip, deflate',
        'user-agent': 'python-httpx/0.28.1',
      },
    },
  ]
}
