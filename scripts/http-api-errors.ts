// Writes docs/errors.md from docs/openapi.yaml. Run it with `npm run docs:options`.
import { writeFileSync } from 'node:fs'
import { type DescribedError, describedErrors, MACHINE_TOKEN } from './openapi-errors.ts'

const TARGET = new URL('../docs/errors.md', import.meta.url)

/** What the page calls an operation, in the order of the page. */
const PLACES: Readonly<Record<string, string>> = {
  [MACHINE_TOKEN]: 'machine token',
  issueSubjectToken: 'subject token',
  exchangeToken: 'exchange',
  listImpersonations: 'seeing',
  showImpersonation: 'seeing',
  endImpersonation: 'ending',
  endImpersonations: 'ending',
  showCurrentImpersonation: 'current',
  endCurrentImpersonation: 'current',
  listStatusLists: 'status lists',
  getStatusList: 'status lists',
}
/** These three together are one place. */
const MANAGEMENT = ['subject token', 'seeing', 'ending']

const INTRODUCTION = `# Errors of the HTTP API

Look for the \`error_description\` that you got. A part in braces stands for any text, and \`…\` for words of your own code. [The HTTP API](http-api.md#how-errors-look) says how an answer looks, and [troubleshooting](troubleshooting.md) has problems without an error. This page is made from [openapi.yaml](openapi.yaml).

| where | requests |
|---|---|
| machine token | \`POST {issuer}/token\`, with \`grant_type=client_credentials\` for the management API |
| subject token | \`POST /api/subject-tokens\` |
| exchange | \`POST {issuer}/token\`, with the token exchange as \`grant_type\` |
| seeing | \`GET /api/impersonations\` and \`GET /api/impersonations/{id}\` |
| ending | \`POST /api/impersonations/{id}/end\` and \`POST /api/impersonations/end\` |
| management API | subject token, seeing and ending |
| current | \`GET {issuer}/impersonations/current\` and \`POST {issuer}/impersonations/current/end\` |
| status lists | \`GET {issuer}/status-lists\` and the lists below it |
`

/** The page as docs/openapi.yaml has it now. */
export function errorsPage(): string {
  const rows = new Map<string, Row>()
  for (const [operation, errors] of describedErrors()) {
    const place = PLACES[operation]
    if (place === undefined) throw new Error(`docs/errors.md has no name for ${operation}`)
    for (const error of errors) {
      const key = [error.error, error.description, error.cause, error.remedy].join('\n')
      const row = rows.get(key) ?? { ...error, statuses: new Set(), places: new Set() }
      row.statuses.add(error.status)
      row.places.add(place)
      rows.set(key, row)
    }
  }
  const codes = Object.entries(Object.groupBy(rows.values(), ({ error }) => error))
  const sections = codes
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([code, errors = []]) => `## ${code}\n\n${table(errors)}`)
  return [INTRODUCTION, ...sections].join('\n')
}

interface Row extends DescribedError {
  readonly statuses: Set<string>
  readonly places: Set<string>
}

function table(rows: readonly Row[]): string {
  const lines = rows
    .toSorted((one, other) => statusOf(one).localeCompare(statusOf(other)))
    .map((row) => {
      const cells = [statusOf(row), row.description, placesOf(row), `${row.cause} ${row.remedy}`]
      return `| ${cells.join(' | ')} |\n`
    })
  const head =
    '| status | `error_description` | where | cause, and what to do |\n|---|---|---|---|\n'
  return head + lines.join('')
}

function statusOf({ statuses }: Row): string {
  return [...statuses].toSorted().join(', ')
}

function placesOf({ places }: Row): string {
  const isAll = MANAGEMENT.every((place) => places.has(place))
  const named = [...new Set(Object.values(PLACES))].filter(
    (place) => places.has(place) && !(isAll && MANAGEMENT.includes(place)),
  )
  return [...(isAll ? ['management API'] : []), ...named].join(', ')
}

if (import.meta.main) writeFileSync(TARGET, errorsPage())
