import type { Time } from '../../facts/facts.ts'
import type { McpAudit } from '../../facts/mcpFacts.ts'
import { auditMcpServer } from '../audit.ts'
import { readPackument } from '../packument.ts'
import { makePackument } from './registry.ts'

/** Returns the audit of an ordinary server with one package of its name. */
export function anAudit(name: string, now: Time): McpAudit {
  return auditMcpServer({
    listing: {
      directory: 'registry',
      name,
      title: null,
      version: '1.4.0',
      status: 'active',
      repository: null,
      packages: [{ name, version: '1.4.0' }],
      hasOther: false,
    },
    packages: [readPackument(name, '1.4.0', makePackument(name))],
    repositoryStatus: 'present',
    before: undefined,
    now,
  })
}
