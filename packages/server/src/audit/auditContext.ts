import type { Chain } from '@touchstone402/transfers'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Prober } from '../lib/prober.ts'
import type { Declared, DeclaredContext } from './askDeclared.ts'
import { type ClientChoice, createClientChoice } from './chooseClient.ts'
import { createHostLeases, type HostLeases } from './hostLeases.ts'
import { createReceiverProfiler, type ProfilerContext, type ReceiverProfiler } from './profileReceiver.ts'
import type { KeptAccusations } from './readAccusations.ts'
import type { AnnouncementContext } from './readAnnouncement.ts'
import { createPolicies, type OptOutContext, readPermitted } from './readOptOut.ts'
import type { ReceiverProofContext } from './readReceiverProof.ts'
import { createSignatureBudget } from './signatureBudget.ts'

/** Parts of the process context that audits use. */
type Shared = Pick<Context, 'clock' | 'ids' | 'log' | 'random' | 'stopping' | 'store'> & {
  readonly metrics: Pick<Metrics, 'probe'>
  readonly config: Pick<Config, 'network' | 'sanctionsOracle' | 'shopper'>
}

/** The parts that audits use. */
export type AuditParts = {
  readonly prober: Prober
  /** Reads Base; null if no chain is configured, or another one, on which receivers of Base would look as if never paid. */
  readonly chain: Chain | null
  /** Reads what a host's own documents declare now, given its origin. `document` fetches one of them. */
  readonly readDeclared: (document: Prober['document'], origin: string) => Promise<Declared>
  readonly readModel: {
    /** Returns the price of a real category, or of everything listed; undefined if it is not known. */
    categoryPrice(category: string | null): Promise<CategoryPrice | undefined>
    /** Returns the older listed host whose name looks like that of a host. */
    lookalike(host: string): Promise<string | undefined>
  }
  readonly ownAccounts: ProfilerContext['ownAccounts']
}

/** Context of all audits of a process: its parts, and the state that is kept between audits. */
export type AuditContext = Shared &
  Omit<AuditParts, 'chain' | 'readDeclared'> &
  DeclaredContext &
  OptOutContext &
  AnnouncementContext &
  ReceiverProofContext & {
    readonly clients: ClientChoice
    readonly hostLeases: HostLeases
    readonly receivers: ReceiverProfiler
    readonly accusations: KeptAccusations
    /** Reads documents that their host does not decline to have read. */
    readonly document: Prober['document']
  }

/** Creates the context of audits. */
export function createAuditContext(ctx: Shared, parts: AuditParts): AuditContext {
  const { clock, random } = ctx
  const { prober } = parts
  const policies = createPolicies(clock)
  const document: Prober['document'] = (...asked) => readPermitted({ clock, policies, prober }, ...asked)
  return {
    ...ctx,
    ...parts,
    policies,
    document,
    readDeclared: (origin) => parts.readDeclared(document, origin),
    clients: createClientChoice(prober.clients, random, prober.realClients),
    hostLeases: createHostLeases(ctx),
    receivers: createReceiverProfiler({ ...ctx, ...parts }),
    rotationChecks: createSignatureBudget(clock),
    proofChecks: createSignatureBudget(clock),
    paidLookUps: new Map(),
    accusations: { known: null },
  }
}
