import { callAt, findTransactions, OPEN, padAddress, type ReadChain, readFinalBlock } from './chain.ts'

// keccak256('authorizationState(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_STATE = '0xe94a0102'
// keccak256('AuthorizationUsed(address,bytes32)'). Source: EIP-3009.
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** Reads whether an EIP-3009 authorization was used, or can no longer be used. */
export const readAuthorizationState: ReadChain = async (chain, { authorization, asset, at }) => {
  if (authorization === null) return OPEN
  const final = await readFinalBlock(chain)
  const { from, nonce, validBefore } = authorization
  const holder = padAddress(from)
  const used = await callAt(chain, asset, `${AUTHORIZATION_STATE}${holder}${nonce.slice(2)}`, final.number)
  if (used === `0x${'1'.padStart(64, '0')}`) {
    const filter = { address: asset, topics: [AUTHORIZATION_USED, `0x${holder}`, nonce] }
    const found = await findTransactions(chain, filter, final, at).catch(() => [])
    return { state: 'settled', transaction: found.at(-1) ?? null }
  }
  const isUnused = used === `0x${'0'.repeat(64)}`
  return isUnused && final.timestamp > BigInt(validBefore) ? { state: 'unused', transaction: null } : OPEN
}
