/** Characters of 65 bytes in hex, with the 0x. */
const LENGTH = 132

/**
 * Says what is wrong with a signature of which no signer can be recovered.
 * @param otherWay what a contract does instead, which signs in another form
 */
export function describeBadSignature(signature: `0x${string}`, otherWay?: string): string {
  const fault =
    signature.length === LENGTH
      ? 'it has 65 bytes, but is no valid signature: copy the whole output of personal_sign'
      : 'expected the 65 bytes of a signature by personal_sign'
  return otherWay === undefined ? fault : `${fault}; ${otherWay}`
}
