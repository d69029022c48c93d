// Runs the packed package on every supported Node, with the oldest and the newest oidc-provider.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { packInto } from '../test/support/tarball.ts'
import { CHECKS, type CheckName } from './matrix/checks.ts'
import { installNode, prepareProject } from './matrix/prepare.ts'

const [, OLDEST = ''] = /^>=(\S+)/.exec(manifest.peerDependencies['oidc-provider']) ?? []

const HELP = `npm run test:matrix -- [options]

Packs the package, installs it into temporary folders, and runs each check on each Node with each
oidc-provider. Prints a table, and exits with 1 where a check failed.

  --node <version>           may be repeated; default: 22.13.0, 24, 26
  --oidc-provider <version>  may be repeated; default: ${OLDEST}, and the newest of the range
  --keep                     leaves the temporary folder, and prints its path
  --help

Checks:
${Object.entries(CHECKS)
  .map(([name, { says }]) => `  ${name.padEnd(18)} ${says}`)
  .join('\n')}
`

const { values: options } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: ['22.13.0', '24', '26'] },
    'oidc-provider': {
      type: 'string',
      multiple: true,
      default: [OLDEST, manifest.peerDependencies['oidc-provider']],
    },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

interface Row {
  readonly Node: string
  readonly 'oidc-provider': string
  readonly results: Readonly<Record<CheckName, string>>
}

async function runMatrix(folder: string): Promise<Row[]> {
  const tarball = await packInto(folder)
  const nodes = []
  for (const version of options.node) nodes.push(await installNode(folder, version))
  const rows: Row[] = []
  for (const version of options['oidc-provider']) {
    const project = await prepareProject(folder, tarball.path, version)
    for (const node of nodes) {
      const results: Partial<Record<CheckName, string>> = {}
      for (const name of Object.keys(CHECKS) as CheckName[]) {
        const failure = await CHECKS[name].run(node.path, project.path).then(
          () => undefined,
          (error: Error) => error,
        )
        results[name] = failure ? 'FAILED' : 'ok'
        const where = `Node ${node.version}, oidc-provider ${project.version}, ${name}`
        console.log(failure ? `FAILED  ${where}\n${failure.message}` : `ok      ${where}`)
      }
      rows.push({
        Node: node.version,
        'oidc-provider': project.version,
        // Every check of CHECKS has stored its result.
        results: results as Record<CheckName, string>,
      })
    }
  }
  return rows
}

if (options.help) {
  console.log(HELP)
} else {
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-matrix-'))
  try {
    const rows = await runMatrix(folder)
    console.table(rows.map(({ results, ...where }) => ({ ...where, ...results })))
    if (rows.some(({ results }) => Object.values(results).includes('FAILED'))) process.exitCode = 1
  } finally {
    if (options.keep) console.log(folder)
    else await rm(folder, { recursive: true, force: true })
  }
}
