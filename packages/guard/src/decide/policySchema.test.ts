import { describe, expect, test } from 'vitest'
import { parsePolicy } from './policySchema.ts'

describe('parsePolicy', () => {
  test.each(['localhost:8080', '[::1]:4021', '127.0.0.1', '*.example.com', 'xn--bcher-kva.example'])(
    'behavior: takes the host %s',
    (host) => {
      expect(parsePolicy({ allowHosts: [host] }).allowHosts).toEqual([host])
    },
  )

  test.each(['host.', '.host', 'API.example.com', 'a.example:443', '*.a.example:8080', 'a b', '*', ''])(
    'error: refuses the host %j, which no URL has',
    (host) => {
      expect(() => parsePolicy({ denyHosts: [host] })).toThrow(
        'policy.denyHosts.0: expected a lower-case host',
      )
    },
  )

  test('behavior: shares nothing with its input or with other policies', () => {
    const networks = ['eip155:8453']
    const policy = parsePolicy({ networks })
    policy.networks.push('eip155:1')
    policy.block.length = 0
    expect(networks).toEqual(['eip155:8453'])
    expect(parsePolicy().block).toEqual(['avoid'])
  })

  test('default: fills in the safe defaults', () => {
    expect(parsePolicy()).toMatchInlineSnapshot(`
      {
        "allowHosts": [],
        "allowInsecureHttp": false,
        "allowReceivers": [],
        "allowUpfrontUpToUsd": null,
        "askAboveUsd": null,
        "assets": [],
        "block": [
          "avoid",
        ],
        "denyHosts": [],
        "denyReceivers": [],
        "foreignCredentials": "allow",
        "hosts": {},
        "maxAuthorizationSeconds": 600,
        "maxPerDayUsd": "5.00",
        "maxPerHostPerDayUsd": "1.00",
        "maxPerPaymentUsd": "1.00",
        "maxPerReceiverPerDayUsd": null,
        "maxStrikes": 0,
        "maxTotalUsd": null,
        "minScore": 0,
        "networks": [
          "eip155:8453",
        ],
        "newSeller": {
          "allPerDayUsd": "1.00",
          "deliveries": 3,
          "perCallUsd": "0.10",
          "perDayUsd": "0.50",
          "priceFactor": 3,
        },
        "onCaution": "ask",
        "onUnavailable": "cached",
        "onUnknown": {
          "allowUpToUsd": "0.01",
          "liveCheckUpToUsd": "0.10",
          "maxPerDayUsd": "0.50",
          "maxPerDomainPerDayUsd": "0.10",
        },
        "pinReceivers": true,
        "requireDeliveryAboveUsd": null,
        "strikeSeconds": 86400,
        "uptoFacilitators": [],
        "velocity": {
          "identicalPerMinute": 20,
          "perHostPerMinute": 30,
        },
      }
    `)
  })

  test.each([
    [{ maxPerDayUsd: 5 }, 'policy.maxPerDayUsd: '],
    [{ maxPerDayUsd: '-1' }, 'policy.maxPerDayUsd: expected dollars'],
    [
      { maxPerDayUsd: Number.POSITIVE_INFINITY },
      'policy.maxPerDayUsd: expected dollars as a decimal string such as "0.50", not Infinity, which is no limit',
    ],
    [
      { minScore: Number.NaN },
      'policy.minScore: expected a whole number from 0 to 100, not NaN, which is no limit',
    ],
    [{ maxPerDayUsd: '0.0000001' }, 'policy.maxPerDayUsd: expected dollars'],
    [{ networks: [] }, 'policy.networks: '],
    [{ networks: ['base'] }, 'policy.networks.0: expected an EVM network'],
    [{ networks: ['eip155:10'] }, 'policy.networks: the USDC of eip155:10 is not known'],
    [{ onUnknown: { allowUpToUsd: 'x' } }, 'policy.onUnknown.allowUpToUsd: '],
    [{ maxPerDay: '5' }, 'policy.maxPerDay: unknown field; nearest: maxPerDayUsd'],
    [
      { onUnknown: { alowUpToUsd: '1' } },
      'policy.onUnknown.alowUpToUsd: unknown field; nearest: allowUpToUsd',
    ],
    [{ velocity: null }, 'policy.velocity: expected an object, not null'],
    [{ block: ['good'] }, 'policy.block.0: expected one of "avoid", "caution", "unknown", not "good"'],
    [{ minScore: 101 }, 'policy.minScore: expected a whole number from 0 to 100, not 101'],
    [{ pinReceivers: 'yes' }, 'policy.pinReceivers: expected true or false, not "yes"'],
    [
      { assets: [{ network: 'eip155:1' }] },
      'policy.assets.0.address: expected 0x and 40 hexadecimal digits, not nothing',
    ],
    [{ $schema: 1 }, 'policy.$schema: expected a text'],
    [[], 'policy.(root): expected an object, not []'],
    [{ denyHosts: ['https://a.example'] }, 'policy.denyHosts.0: expected a lower-case host'],
    [{ allowReceivers: ['0x1'] }, 'policy.allowReceivers.0: expected 0x'],
    [{ maxAuthorizationSeconds: 0 }, 'policy.maxAuthorizationSeconds: '],
    ['generous', 'policy.(root): '],
  ])('error: names the invalid field of %j', (input, message) => {
    expect(() => parsePolicy(input)).toThrow(message)
  })
})
