import { claimMessage, claimName } from '../../../claims/claimTexts.ts'

/** The three ways to claim a host, with the exact texts for it. */
export type Ways = ReturnType<typeof describeWays>

type Described = {
  readonly host: string
  readonly publicUrl: string
  readonly date: string
  readonly token: string
  readonly fileUrl: string
}

/** Returns what a host publishes, or what a receiver signs, for a token. */
export function describeWays({ host, publicUrl, date, token, fileUrl }: Described) {
  return {
    token,
    file: { url: fileUrl, line: token },
    dns: { name: claimName(host), type: 'TXT', value: token },
    signature: { date, text: claimMessage({ host, service: publicUrl, date, token }) },
  }
}
