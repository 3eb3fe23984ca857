import { describe, expect, test } from 'vitest'
import { parsePolicy } from './policySchema.ts'

describe('parsePolicy', () => {
  test('default: fills in the safe defaults', () => {
    expect(parsePolicy()).toMatchInlineSnapshot(`
      {
        "allowHosts": [],
        "allowInsecureHttp": false,
        "allowReceivers": [],
        "assets": [],
        "block": [
          "avoid",
        ],
        "denyHosts": [],
        "denyReceivers": [],
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
        "onCaution": "ask",
        "onUnavailable": "cached",
        "onUnknown": {
          "allowUpToUsd": "0.01",
          "liveCheckUpToUsd": "0.10",
          "maxPerDayUsd": "0.50",
          "maxPerDomainPerDayUsd": "0.10",
        },
        "pinReceivers": true,
        "strikeSeconds": 86400,
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
    [{ maxPerDayUsd: '0.0000001' }, 'policy.maxPerDayUsd: expected dollars'],
    [{ networks: [] }, 'policy.networks: '],
    [{ networks: ['base'] }, 'policy.networks.0: expected an EVM network'],
    [{ networks: ['eip155:10'] }, 'policy.networks: the USDC of eip155:10 is not known'],
    [{ onUnknown: { allowUpToUsd: 'x' } }, 'policy.onUnknown.allowUpToUsd: '],
    [{ maxPerDay: '5' }, 'policy.maxPerDay: '],
    [{ denyHosts: ['https://a.example'] }, 'policy.denyHosts.0: expected a lower-case host'],
    [{ allowReceivers: ['0x1'] }, 'policy.allowReceivers.0: expected 0x'],
    [{ maxAuthorizationSeconds: 0 }, 'policy.maxAuthorizationSeconds: '],
    ['generous', 'policy.(root): '],
  ])('error: names the invalid field of %j', (input, message) => {
    expect(() => parsePolicy(input)).toThrow(message)
  })
})
