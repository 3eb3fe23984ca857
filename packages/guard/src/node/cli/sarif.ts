import { SCAN_CHECK_IDS, SCAN_CHECKS, type ScanFinding, type ScanSeverity } from '@touchstone402/shared/scan'

const LEVELS: Readonly<Record<ScanSeverity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  warn: 'warning',
  info: 'note',
}

/**
 * Describes failed checks as SARIF 2.1.0.
 * @param place URI of the artifact that the results are shown at
 */
export function describeSarif(endpoint: string, findings: readonly ScanFinding[], place: string): object {
  const rules = SCAN_CHECK_IDS.map((id) => {
    const { severity, failed: text, fix } = SCAN_CHECKS[id]
    const defaultConfiguration = { level: LEVELS[severity] }
    return { id, shortDescription: { text }, help: { text: fix }, defaultConfiguration }
  })
  const location = {
    physicalLocation: { artifactLocation: { uri: place }, region: { startLine: 1 } },
    logicalLocations: [{ fullyQualifiedName: endpoint, kind: 'resource' }],
  }
  const failed = findings.filter(({ outcome }) => outcome === 'fail')
  const results = failed.map(({ id, severity, title, detail, fix = '' }) => ({
    ...{ ruleId: id, ruleIndex: SCAN_CHECK_IDS.indexOf(id), level: LEVELS[severity] },
    message: { text: [`${endpoint}: ${title}.`, detail, fix].filter(Boolean).join(' ') },
    locations: [location],
    // Keeps one alert per endpoint and check.
    partialFingerprints: { endpointAndCheck: `${endpoint} ${id}` },
  }))
  return {
    ...{ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0' },
    runs: [{ tool: { driver: { name: 'Touchstone scan', rules } }, results }],
  }
}
