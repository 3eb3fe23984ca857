import type { FieldFault } from './hostClaim.ts'

/** Maximum number of characters of a reply. */
export const MAX_REPLY_CHARACTERS = 500

/** Invisible characters: controls, direction marks and the like. Spaces and line feeds are allowed. */
const HIDDEN =
  /[^\P{Cc}\t\n\r]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|\p{Noncharacter_Code_Point}/u

/** Kinds of text that a reply may not have, in the order in which they are looked for. */
const KINDS: readonly (readonly [code: string, name: string, pattern: RegExp])[] = [
  // U+0445 is the Cyrillic x. After a digit, spaces end it: "10x 5000 calls" is none.
  ['address', 'an address', /0[x\u0445][0-9a-f]{4,}|(?<![0-9])0[x\u0445](?:\s*[0-9a-f]){4,}/i],
  // Hex digits, a digit among them, be they alone or in groups with one each; no phone number or time is as long.
  ['address', 'an address', /(?=[0-9a-f]{16})[a-f]*[0-9][0-9a-f]*/i],
  [
    'address',
    'an address',
    /(?<![0-9a-z])(?=[0-9a-f])(?:(?:\s+|(?<![0-9a-z]))(?=[a-f]*[0-9][0-9a-f]*(?![0-9a-z]))[0-9a-f]|(?<=[0-9a-f])[0-9a-f]){16,}/i,
  ],
  // As long as the shortest wallet address, with a digit or a capital within: no word is.
  ['address', 'an address', /(?=[0-9A-Za-z]{26})[A-Za-z]*(?:[0-9]|[a-z][A-Z])[0-9A-Za-z]*/],
  ['link', 'a link', /[a-z][a-z0-9+.-]*:\/\/\S*/i],
  ['link', 'a link', /\b(?:mailto|tel|sms|data|javascript|magnet|ipfs|ethereum|solana|bitcoin):\S+/i],
  ['email', 'a mail address', /[^\s@]+@[^\s@]+/],
  ['link', 'an IP address', /\b\d{1,3}(?:\.\d{1,3}){3}\b/],
  // Any ending: new top-level domains and wallet names come up all the time.
  ['domain', 'a domain or a wallet name', /(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,})/iu],
]

/** Returns what a reply may not say: hidden characters, addresses, links, domains and names of wallets. */
export function findForbidden(text: string): FieldFault | undefined {
  const fault = (code: string, message: string) => ({ parameter: 'text', code, message })
  const hidden = HIDDEN.exec(text)
  if (hidden !== null) {
    const point = hidden[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return fault('hidden_character', `found an invisible or direction-changing character, U+${point}`)
  }
  // Lookalikes of the plain characters: full-width letters, and full stops that Chinese puts between sentences.
  const plain = text.normalize('NFKC').replace(/(?<=[0-9a-z])。(?=[0-9a-z])/gi, '.')
  for (const [code, name, pattern] of KINDS) {
    const [found] = pattern.exec(plain) ?? []
    if (found !== undefined) return fault(code, `found "${found}", which reads as ${name}: leave it out`)
  }
  return undefined
}
