/** Descriptions of the answers to forms, by schema and path. */
export const FORMS = {
  Scan: {
    id: 'Random id of the scan.',
    url: 'URL of the page of the scan, which `Location` names as well.',
    state: 'queued, running, done or failed.',
    ahead: 'Number of scans that are made before it.',
    askedAt: 'Time of the request, UTC.',
    finishedAt: 'Time at which it ended, UTC; null until then.',
    expiresAt: 'Time up to which the scan is kept, UTC.',
    failure: 'Why nothing could be measured; null if it was, or until then.',
    result: 'What was found, with one entry a check; null until then.',
    profile: 'URL of the profile of the host.',
    badge: 'URL of the badge of the host.',
  },
  Submission: {
    state: 'waiting for its first probe, or known: then nothing is probed.',
    progress: 'URL that tells how far it is.',
    profile: 'URL of the profile of the host, once it was probed.',
  },
  Recheck: {
    endpoints: 'Endpoints that are probed again.',
    profile: 'URL of the profile of the host.',
    progress: 'URL that tells how far it is.',
  },
  Rotation: {
    verified: 'Always true.',
    published: 'Whether the announcement was read from the host; false if the request brought it.',
    publish:
      'Entry to serve in the list `rotations` of /.well-known/x402, if the request brought text and signature.',
    'publish.newPayTo': 'The new receiver.',
    'publish.validFrom': 'Time from which on it receives, UTC.',
    'publish.signature': 'Signature of the text by the old receiver.',
    recheck: 'Whether a re-check that reads it was queued; false if there was one lately.',
    next: 'URL that tells how far the re-check is, or the profile.',
  },
}
