import { globSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Tests that run together, in a mocha of their own. */
export interface Suite {
  readonly name: string
  /** A description for `--list`. */
  readonly about: string
  /** Each push, or each night and before a release. */
  readonly when: 'nightly' | 'push'
  /** Files with tests. */
  readonly files: readonly string[]
  /** Files that it leaves out. */
  readonly except?: readonly string[]
  /** Folders whose own dependencies are installed first. */
  readonly installs?: readonly string[]
  /** Commands that run before the tests. */
  readonly before?: readonly string[]
  /**
   * The thing that its tests share or measure: its files run one after the other. Without it, as
   * many files run at once as there are cores.
   */
  readonly oneByOne?: string
}

/** Every folder with tests. */
const TEST = '{test,packages/*/test}'

/** Tests of a page's tokens, tabs, keys and windows, which no test over HTTP can replace. */
const BROWSER_ON_PUSH: readonly string[] = [
  // The kit: a link becomes a session, a session ends, and no token stays behind.
  'packages/browser/test/accept.e2e.ts',
  'packages/browser/test/hostile.e2e.ts',
  'packages/browser/test/ending.e2e.ts',
  'packages/browser/test/refusals.e2e.ts',
  'packages/browser/test/dpop.e2e.ts',
  'packages/browser/test/document.e2e.ts',
  'packages/browser/test/server-rendered-console.e2e.ts',
  'packages/browser/test/banner/{content,document,end,names,places,time,title}.e2e.ts',
  // The console: the sign-in of a page, and the work of each role from click to click.
  'packages/console/test/e2e/{sign-in,frame,without-script}.e2e.ts',
  'packages/console/test/e2e/{account,acting,running}.e2e.ts',
  'packages/console/test/e2e/permits/permits.e2e.ts',
  'packages/console/test/e2e/audit/audit.e2e.ts',
  // The example: each link, the stories of the start page, and the shop that acts.
  'test/e2e/{links,shop,shop-typed,sign-in-page,start-page}.e2e.ts',
  // The tests above rely on these: a fault in a page is found.
  'test/e2e/harness/*.e2e.ts',
]

/** The proofs of one redemption (I1), and those that take a second or two. */
const PROOFS_ON_PUSH: readonly string[] = [
  'test/proofs/{one-redemption,restart,round-trips,sqlite-faults}.proof.ts',
  'test/adapters/redis/persistence.proof.ts',
  'test/adapters/sqlite/processes.proof.ts',
  'test/malformed-input.proof.ts',
]

/** The packed tarballs, as users get them. */
const PACKAGES = `${TEST}/**/package*.proof.ts`

/** It installs each Node.js. */
const MATRIX = 'test/matrix.proof.ts'

/** In the order in which they run. */
export const SUITES: readonly Suite[] = [
  {
    name: 'browser',
    about: 'pages in Chromium that no test over HTTP can hold',
    when: 'push',
    files: BROWSER_ON_PUSH,
    oneByOne: 'one Chromium, one example and one built kit for all files',
  },
  {
    name: 'proofs',
    about: 'one redemption, with several processes and kill -9; quick proofs',
    when: 'push',
    files: PROOFS_ON_PUSH,
    oneByOne: 'each file starts several processes that work as fast as they can',
  },
  {
    name: 'console',
    about: 'the console without a browser',
    when: 'push',
    files: ['packages/console/test/**/*.test.ts'],
  },
  {
    name: 'plugin',
    about: 'npm test: the plugin over real HTTP, the guard, the kit without a browser',
    when: 'push',
    files: [
      'test/**/*.test.ts',
      'packages/{browser,resource-server,testing,verify}/test/**/*.test.ts',
    ],
    except: ['test/{docs,example-provider,examples,types}/**'],
  },
  {
    name: 'docs',
    about: 'the documents: every snippet is run',
    when: 'push',
    files: ['test/docs/**/*.test.ts'],
  },
  {
    name: 'site',
    about: 'the site of the documents: VitePress checks every link; installs it first',
    when: 'nightly',
    files: ['test/docs/*.site.ts'],
    installs: ['scripts/site'],
  },
  {
    name: 'example',
    about: 'the example and the files of examples/',
    when: 'push',
    files: ['test/{example-provider,examples}/**/*.test.ts'],
  },
  {
    name: 'types',
    about: 'the public types of the packed packages, in TypeScript 5.9 and 7',
    when: 'push',
    files: ['test/types/**/*.test.ts'],
  },
  {
    name: 'browser-nightly',
    about:
      'every other page in Chromium: looks, long lists, outages; installs Vue and Next.js first',
    when: 'nightly',
    files: [`${TEST}/**/*.e2e.ts`],
    except: [...BROWSER_ON_PUSH, 'test/e2e/browsers/**'],
    installs: ['packages/browser/test/frameworks', 'packages/browser/test/nextjs'],
    oneByOne: 'one Chromium, one example and one built kit for all files',
  },
  {
    name: 'browsers',
    about: 'the stories in Firefox ESR and WebKitGTK, too; a browser that is missing is skipped',
    when: 'nightly',
    files: ['test/e2e/browsers/*.e2e.ts'],
    installs: ['test/e2e/browsers/headers'],
    oneByOne: 'one browser of each kind for all files',
  },
  {
    name: 'proofs-nightly',
    about: 'kill -9, faults, failovers, races at scale, benchmarks, supported versions',
    when: 'nightly',
    files: [`${TEST}/**/*.proof.ts`],
    except: [...PROOFS_ON_PUSH, PACKAGES, MATRIX],
    oneByOne: 'each file starts several processes that work as fast as they can',
  },
  {
    name: 'matrix',
    about:
      'the packed plugin on Node.js 22.13, 24 and 26, with the oldest and newest oidc-provider',
    when: 'nightly',
    files: [MATRIX],
  },
  {
    name: 'package',
    about: 'the packed tarballs; TARBALLS=<folder> for tarballs that are there',
    when: 'nightly',
    files: [PACKAGES],
  },
  {
    name: 'recipes',
    about: 'the adapters of examples/recipes; installs their drivers first; MariaDB',
    when: 'nightly',
    files: ['test/recipes/*.recipe.ts'],
    installs: ['test/recipes'],
    before: [
      'ln -sfn ../../test/recipes/node_modules examples/recipes/node_modules',
      'tsc -p test/recipes',
    ],
  },
  {
    name: 'frameworks',
    about:
      'NestJS 11 and 12, and the tests of docs/testing.md, also in vitest; installs them first',
    when: 'nightly',
    files: ['test/frameworks/*.framework.ts'],
    installs: ['test/frameworks/nest-11', 'test/frameworks/nest-12', 'test/frameworks/vitest'],
  },
  {
    name: 'resource-servers',
    about: 'examples/resource-servers; Apache, Authlib, Go and Java from Debian',
    when: 'nightly',
    files: ['test/resource-servers/*.server.ts'],
    installs: ['test/resource-servers'],
  },
]

/** Lists the files of a suite. */
export function filesOf({ files, except = [] }: Suite): string[] {
  return globSync(files, { cwd: ROOT, exclude: [...except, '**/node_modules/**'] }).sort()
}
