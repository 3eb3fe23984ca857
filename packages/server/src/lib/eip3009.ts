import { parseAbi, parseAbiItem } from 'viem'

/** Event of a used transfer authorization. Source: EIP-3009. */
export const AUTHORIZATION_USED = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
)

/** State of a transfer authorization: whether it was used or cancelled. Source: EIP-3009. */
export const AUTHORIZATION_STATE = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])
