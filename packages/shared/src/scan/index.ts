export { askForTerms, type ScanAnswer, type ScannedTerms } from './answer.ts'
export {
  isScanCheck,
  SCAN_CHECK_IDS,
  SCAN_CHECKS,
  type ScanCheckId,
  type ScanResult,
  type ScanSeverity,
} from './checks.ts'
export type { ValueToChange } from './fault.ts'
export { addFixes, detectStack, recipeFor, type ScanFinding, STACKS, type Stack } from './recipes.ts'
export { findValueToChange, scanTerms } from './scanTerms.ts'
