/** Tests that run together, in a mocha of their own. */
export interface Suite {
  readonly name: string
  /** What it tests, for `--list`. */
  readonly about: string
  /** Files with tests; `!` in front leaves files out. */
  readonly files: readonly string[]
  /** How long one test may take, in milliseconds. */
  readonly timeout?: number
  /** Folders whose own dependencies are installed first. */
  readonly installs?: readonly string[]
  /** Commands that run before the tests. */
  readonly before?: readonly string[]
  /** Seconds until the suite counts as failed: several times its duration on two busy cores. */
  readonly limit: number
  /** As on a machine where neither Redis nor PostgreSQL answers: what needs one is skipped. */
  readonly withoutServers?: true
}

const PLUGIN = ['test/**/*.test.ts', '!test/{docs,example-provider,examples}/**']

/** These need a machine with little other load. */
export const DEMANDING: readonly Suite[] = [
  {
    name: 'e2e',
    about: 'browser kit and console in Chromium; installs React and Vue first',
    files: ['{packages/browser/test,packages/console/test/e2e}/**/*.e2e.ts'],
    timeout: 120_000,
    installs: ['packages/browser/test/frameworks'],
    limit: 1200,
  },
  {
    name: 'proofs',
    about: 'many processes, kill -9, faults, races at scale, supported versions',
    files: ['{test,packages/console/test,packages/conformance/test}/**/*.proof.ts'],
    timeout: 120_000,
    limit: 1500,
  },
]

/** The long ones first, so that two lanes end at about the same time. */
export const OTHERS: readonly Suite[] = [
  {
    name: 'console',
    about: 'the console without a browser',
    files: ['packages/console/test/**/*.test.ts'],
    timeout: 60_000,
    limit: 1200,
  },
  {
    name: 'example',
    about: 'the example and the files of examples/',
    files: ['test/{example-provider,examples}/**/*.test.ts'],
    timeout: 60_000,
    limit: 900,
  },
  {
    name: 'plugin',
    about: 'the plugin, over real HTTP: npm test',
    files: PLUGIN,
    limit: 600,
  },
  {
    name: 'docs',
    about: 'the documents: every snippet is run',
    files: ['test/docs/**/*.test.ts'],
    timeout: 60_000,
    limit: 900,
  },
  {
    name: 'conformance',
    about: 'the suite of docs/profile.md, against this server and against wrong ones',
    files: ['packages/conformance/test/**/*.test.ts'],
    timeout: 120_000,
    limit: 900,
  },
  {
    name: 'e2e-example',
    about: 'the example in Chromium: shop, story, nine tabs, what a screen reader meets',
    files: ['test/e2e/**/*.e2e.ts', '!test/e2e/browsers/**'],
    timeout: 120_000,
    limit: 900,
  },
  {
    name: 'browsers',
    about: 'the main paths in Firefox ESR and WebKitGTK, too; a browser that is missing is skipped',
    files: ['test/e2e/browsers/*.e2e.ts'],
    timeout: 120_000,
    limit: 600,
  },
  {
    name: 'recipes',
    about: 'the adapters of recipes/; installs their libraries first',
    files: ['test/recipes/*.recipe.ts'],
    timeout: 120_000,
    installs: ['test/recipes'],
    before: [
      'ln -sfn ../test/recipes/node_modules recipes/node_modules',
      'npm run --prefix test/recipes generate',
      'tsc -p test/recipes',
    ],
    limit: 1200,
  },
  {
    name: 'frameworks',
    about:
      'NestJS 11 and 12, and the tests of docs/testing.md, also in vitest; installs them first',
    files: ['test/frameworks/*.framework.ts'],
    timeout: 120_000,
    installs: ['test/frameworks/nest-11', 'test/frameworks/nest-12', 'test/frameworks/vitest'],
    limit: 600,
  },
  {
    name: 'resource-servers',
    about: 'examples/resource-servers; Apache, Authlib, Go and Java from Debian',
    files: ['test/resource-servers/*.server.ts'],
    timeout: 60_000,
    installs: ['test/resource-servers'],
    limit: 600,
  },
  {
    name: 'types',
    about: 'the public types, in TypeScript 5.9 and 7',
    files: ['test-d/types.test.ts'],
    limit: 600,
  },
  {
    name: 'plugin-alone',
    about: 'the plugin as on a machine without Redis and PostgreSQL',
    files: PLUGIN,
    limit: 600,
    withoutServers: true,
  },
]
