import { toEventSelector, toFunctionSelector } from 'viem'

/**
 * Functions and events that only ERC-404 has together, as bytes of its code. ERC-404 was never an ERC; its authors published
 * two forms: https://github.com/Pandora-Labs-Org/erc404 (`contracts/legacy` and `contracts/interfaces/IERC404.sol`).
 */
const FORMS = [
  [
    toEventSelector('ERC20Transfer(address,address,uint256)'),
    toFunctionSelector('ownerOf(uint256)'),
    toFunctionSelector('decimals()'),
  ],
  [toFunctionSelector('erc20TotalSupply()'), toFunctionSelector('erc721TotalSupply()')],
].map((form) => form.map((selector) => selector.slice(2)))

/**
 * Whether the code of a contract is ERC-404, which logs amounts and NFTs under one name, so that its transfers cannot be
 * told from its logs. DN404 keeps its NFTs in a contract of their own, and is an ERC-20.
 */
export function isErc404Code(code: unknown): boolean {
  if (typeof code !== 'string') return false
  const text = code.toLowerCase()
  return FORMS.some((form) => form.every((selector) => text.includes(selector)))
}
