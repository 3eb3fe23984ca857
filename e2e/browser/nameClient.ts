let clients = 0

/** Returns an address that no visitor had before, for `X-Forwarded-For`. Source: RFC 2544, section C.2.2. */
export function nameClient(): string {
  clients++
  return `198.18.${clients >> 8}.${clients & 255}`
}
