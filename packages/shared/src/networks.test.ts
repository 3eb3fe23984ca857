import { describe, expect, test } from 'vitest'
import { BASE, BASE_USDC, networkAddressKey } from './networks.ts'

describe('networkAddressKey', () => {
  test('default: joins the network and the lower-case address', () => {
    expect(networkAddressKey(BASE, BASE_USDC)).toBe('eip155:8453 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')
  })

  test('behavior: one address in different case has one key', () => {
    expect(networkAddressKey(BASE, BASE_USDC.toLowerCase())).toBe(networkAddressKey(BASE, BASE_USDC))
  })
})
