import { isIP } from 'node:net'

/** An address as a number, with its family's width. */
export type IpAddress = { readonly family: 4 | 6; readonly value: bigint }

/** A block of addresses; the network's host bits are zero. */
export type IpBlock = { readonly family: 4 | 6; readonly network: bigint; readonly shift: bigint }

/**
 * Reads an address in the notation that a resolver gives: four decimal octets, or IPv6 text.
 * @returns undefined for anything else, zone ids (`fe80::1%eth0`) included.
 */
export function parseIp(text: string): IpAddress | undefined {
  const family = text.includes('%') ? 0 : isIP(text)
  if (family === 4) return { family, value: parseOctets(text) }
  if (family === 6) return { family, value: parseGroups(text) }
  return undefined
}

/**
 * Reads a block such as `10.0.0.0/8`.
 * @throws when the text is no block.
 */
export function parseBlock(cidr: string): IpBlock {
  const [text = '', length = ''] = cidr.split('/')
  const address = parseIp(text)
  const width = address?.family === 4 ? 32 : 128
  if (address === undefined || !/^[0-9]{1,3}$/.test(length) || Number(length) > width) {
    throw new Error(`not a block of addresses: ${cidr}`)
  }
  const shift = BigInt(width - Number(length))
  return { family: address.family, network: address.value >> shift, shift }
}

/** Whether an address lies in a block. */
export function isInBlock(address: IpAddress, block: IpBlock): boolean {
  return address.family === block.family && address.value >> block.shift === block.network
}

function parseOctets(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

function parseGroups(text: string): bigint {
  // The last 32 bits may be written as four octets.
  const tail = /[0-9.]+$/.exec(text)?.[0] ?? ''
  const hex = tail.includes('.') ? text.slice(0, -tail.length) + toHexGroups(parseOctets(tail)) : text
  const [left = '', right] = hex.split('::')
  const before = left === '' ? [] : left.split(':')
  const after = right === undefined || right === '' ? [] : right.split(':')
  const middle = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...middle, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function toHexGroups(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}
