// Journeys on the audited economy. They are one test file, so that one worker audits it, once.
import './audited/audit.ts'
import './audited/scan.ts'
import './audited/examples.ts'
import './audited/mysteryShop.ts'
import './audited/mcpAudits.ts'
import './audited/liveCheck.ts'
import './audited/tokens.ts'
import './audited/page.ts'
