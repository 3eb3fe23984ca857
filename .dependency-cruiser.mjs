// Which room may import which. `scripts/lint/floors.release.test.ts` proves that each rule bites.

const TEST = '(\\.test\\.tsx?|\\.test-d\\.ts|\\.testing\\.ts|tsup\\.config\\.ts)$|/testing/'
const CORE = { dependencyTypes: ['core'] }

const folder = (path) => `^packages/${path}/`
const server = (...rooms) => rooms.map((room) => folder(`server/src/${room}`))
const SERVER = '^packages/server/src/'
const SERVICES = `${SERVER}services(\\.ts$|/)`
// A package that is no dependency cannot be resolved and keeps its bare name.
const library = (...names) => names.flatMap((name) => [`/node_modules/${name}/`, `^${name}(/|$)`])
const workspace = (...names) => [...names.map(folder), ...names.map((name) => `^@touchstone402/${name}(/|$)`)]

/** Refuses imports from one place into another; `except` names files of the first place that may. */
function forbid(name, comment, from, to, except = []) {
  return { name, comment, severity: 'error', from: { path: from, pathNot: [TEST, ...except] }, to }
}

/** Rooms of plain functions: facts in, judgements, answers and maps out. */
const PURE = ['facts', 'judge', 'publish', 'map/model']
/** Rooms that reach the outside: each knows of the others, and the rooms that use it know of each, types alone. */
const ADAPTERS = ['chain', 'directories', 'keys', 'payments', 'probe']
/** Rooms above the plain functions and the store. */
const ABOVE_STORE = [
  ...ADAPTERS,
  'audit',
  'checks',
  'commands',
  'config',
  'crawl',
  'http',
  'log',
  'map/(?!model/)',
  'mcp',
  'owners',
  'readModel',
  'services',
  'shop',
  'site',
  'tokens',
]
/** Files of the store that open it, move it or know an engine; the others are its tables. */
const ENGINES =
  '(backUp|copyStore|engine|listen|migrations|postgres|restore|sqlite|sqliteFile|unitThread|units)'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'Files that import each other cannot be read one at a time.',
      severity: 'error',
      from: { path: '^(packages|examples|e2e|bench)/', pathNot: TEST },
      to: { circular: true },
    },
    forbid(
      'transparency-is-lowest',
      'the log package imports no package of the workspace',
      folder('transparency/src'),
      {
        path: [
          ...workspace('shared', 'guard', 'crash-test', 'transfers', 'server'),
          ...library('viem', 'zod', 'express'),
        ],
      },
    ),
    forbid(
      'transparency-runs-anywhere',
      'only the server of a witness needs Node',
      folder('transparency/src'),
      CORE,
      [folder('transparency/src/witness')],
    ),
    forbid(
      'transparency-verifies-alone',
      'its verifying part knows neither the publisher nor the witness',
      folder('transparency/src'),
      { path: ['publisher', 'witness'].map((room) => folder(`transparency/src/${room}`)) },
      ['publisher', 'witness'].map((room) => folder(`transparency/src/${room}`)),
    ),
    ...[
      ['publisher', 'witness'],
      ['witness', 'publisher'],
    ].map(([room, other]) =>
      forbid(
        `transparency-${room}`,
        'a log and a witness speak over HTTP only',
        folder(`transparency/src/${room}`),
        { path: folder(`transparency/src/${other}`) },
      ),
    ),
    forbid('shared-is-ground', 'shared imports zod and transparency only', folder('shared/src'), {
      path: [...workspace('guard', 'transfers', 'server'), ...library('viem')],
    }),
    forbid('shared-runs-anywhere', 'shared uses no Node modules', folder('shared/src'), CORE),
    forbid('transfers-stands-alone', 'transfers imports shared only', folder('transfers/src'), {
      path: [...workspace('guard', 'server'), ...library('express', 'zod')],
    }),
    forbid('guard-stands-alone', 'the guard knows nothing of the service', folder('guard/src'), {
      path: [...workspace('transfers', 'server'), ...library('express')],
    }),
    forbid(
      'crash-test-stands-alone',
      'the crash test imports shared and viem only',
      folder('crash-test/src'),
      {
        path: [...workspace('guard', 'transfers', 'server'), ...library('express', 'zod')],
      },
    ),
    forbid('guard-runs-anywhere', 'code that needs Node lives in src/node', folder('guard/src'), CORE, [
      folder('guard/src/node'),
    ]),
    ...[
      ['decide', ['ledger', 'paying', 'verdicts', 'integrations', 'node']],
      ['ledger', ['paying', 'verdicts', 'integrations', 'node']],
      ['paying', ['verdicts', 'integrations', 'node']],
      ['verdicts', ['integrations', 'node']],
      ['map', ['integrations', 'node']],
      ['integrations', ['node']],
    ].map(([room, above]) =>
      forbid(`guard-${room}`, 'rooms of the guard know only the rooms below', folder(`guard/src/${room}`), {
        path: above.map((name) => folder(`guard/src/${name}`)),
      }),
    ),
    forbid(
      'guard-optional-rooms',
      'rooms with a separate subpath are in no other bundle',
      ['decide', 'ledger', 'paying', 'verdicts', 'integrations'].map((room) => folder(`guard/src/${room}`)),
      { path: ['upto', 'mpp', 'wallets'].map((room) => folder(`guard/src/${room}`)) },
    ),
    forbid('judging-is-pure', 'facts, judge, publish and map/model import shared only', server(...PURE), {
      path: [
        ...server('lib', 'store', ...ABOVE_STORE),
        ...workspace('transfers', 'guard'),
        ...library('express', 'viem', 'undici'),
      ],
    }),
    forbid('judging-runs-anywhere', 'they use no Node modules', server(...PURE), CORE),
    forbid('facts-hold-no-judgement', 'facts know no judgement', server('facts'), {
      path: server('judge', 'publish', 'map'),
    }),
    forbid('judgement-before-publishing', 'judging knows no publishing', server('judge'), {
      path: server('publish', 'map'),
    }),
    forbid(
      'adapters-are-types',
      'only services and commands start adapters; others know their types',
      server(
        'audit',
        'crawl',
        'http',
        'site',
        'readModel',
        'mcp',
        'owners',
        'checks',
        'shop',
        'log',
        'map',
        'tokens',
      ),
      { path: server(...ADAPTERS), dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'tables-not-engines',
      'only services and commands open the store; others call the functions of its tables',
      SERVER,
      {
        path: `${SERVER}store/${ENGINES}\\.ts$`,
      },
      [...server('store', 'commands'), SERVICES],
    ),
    forbid('store-stands-alone', 'the store knows facts and files', server('store'), {
      path: server('judge', 'publish', 'map/model', ...ABOVE_STORE),
    }),
    forbid('answers-do-not-crawl', 'http and site import nothing of crawl', server('http', 'site'), {
      path: server('crawl'),
    }),
    forbid('audit-below-crawl', 'audit and crawl know nothing of answers', server('audit', 'crawl'), {
      path: server('http', 'site', 'mcp', 'shop'),
    }),
    forbid('audit-is-one-probe', 'one probe does not know the crawl', server('audit'), {
      path: server('crawl'),
    }),
    forbid('checks-without-pages', 'checks know neither pages nor the crawl', server('checks'), {
      path: server('crawl', 'mcp', 'shop', 'site'),
    }),
    forbid('owners-without-pages', 'owners know neither pages nor the crawl', server('owners'), {
      path: server('crawl', 'mcp', 'shop', 'site'),
    }),
    forbid('http-without-pages', 'http knows no pages', server('http'), { path: server('site') }),
    forbid('mcp-stands-alone', 'mcp knows neither answers nor pages', server('mcp'), {
      path: server('http', 'site', 'shop', 'audit', 'crawl'),
    }),
    forbid('shop-stands-alone', 'shop knows neither answers nor pages', server('shop'), {
      path: server('http', 'site', 'mcp'),
    }),
    forbid('tokens-without-pages', 'tokens know neither answers nor pages', server('tokens'), {
      path: server('http', 'site', 'audit', 'crawl', 'mcp', 'shop'),
    }),
    ...ADAPTERS.flatMap((name) => [
      forbid(`adapter-${name}`, 'adapters do not know the rooms above', server(name), {
        path: server('audit', 'crawl', 'http', 'mcp', 'readModel', 'shop', 'site'),
      }),
      forbid(`adapter-${name}-alone`, 'adapters know types of one another alone', server(name), {
        path: server(...ADAPTERS.filter((other) => other !== name)),
        dependencyTypesNot: ['type-only'],
      }),
    ]),
    forbid(
      'chain-in-its-thread',
      'only the thread of the chain loads what reads it; others know types and errors',
      SERVER,
      {
        path: [`${folder('transfers/src')}(?!errors\\.ts$)`, '^@touchstone402/transfers(?!/errors$)'],
        dependencyTypesNot: ['type-only'],
      },
      server('chain'),
    ),
    forbid('services-are-the-top', 'only commands start services', SERVER, { path: SERVICES }, [
      SERVICES,
      ...server('commands'),
      `${SERVER}index\\.ts$`,
    ]),
    forbid('commands-are-for-main', 'only main runs commands', SERVER, { path: server('commands') }, [
      ...server('commands'),
      `${SERVER}main\\.ts$`,
    ]),
    {
      name: 'public-exports-only',
      comment: 'examples, e2e and bench use what a package exports',
      severity: 'error',
      from: { path: '^(examples|e2e|bench)/' },
      to: { path: '^packages/[^/]+/(src|dist)/', dependencyTypes: ['local'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
    },
  },
}
