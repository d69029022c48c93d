// Writes docs/errors.md from docs/openapi.yaml. Run it with `npm run docs:options`.
import { writeFileSync } from 'node:fs'
import { type DescribedError, describedErrors, MACHINE_TOKEN } from './openapi-errors.ts'

const TARGET = new URL('../docs/errors.md', import.meta.url)

/** Names of the operations on the page, in its order. */
const PLACES: Readonly<Record<string, string>> = {
  [MACHINE_TOKEN]: 'machine',
  issueSubjectToken: 'issue',
  exchangeToken: 'exchange',
  listImpersonations: 'read',
  showImpersonation: 'read',
  endImpersonation: 'end',
  endImpersonations: 'end',
  showCurrentImpersonation: 'current',
  endCurrentImpersonation: 'current',
  listStatusLists: 'lists',
  getStatusList: 'lists',
}
/** These three together are one place. */
const MANAGEMENT = ['issue', 'read', 'end']

const INTRODUCTION = `# Errors of the HTTP API

Look for the \`error_description\` that you got. A part in braces stands for any text, and \`…\` for words of your own code. [Troubleshooting](troubleshooting.md) has problems without an error.

| where | requests |
|---|---|
| machine | \`POST {issuer}/token\` with \`client_credentials\` |
| issue | \`POST /api/subject-tokens\` |
| exchange | \`POST {issuer}/token\` with the token exchange |
| read | \`GET /api/impersonations\` and \`GET /api/impersonations/{id}\` |
| end | \`POST /api/impersonations/{id}/end\` and \`POST /api/impersonations/end\` |
| management | issue, read and end |
| current | \`GET {issuer}/impersonations/current\` and \`POST {issuer}/impersonations/current/end\` |
| lists | \`GET {issuer}/status-lists\` and below |
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
      const cells = [
        statusOf(row),
        row.description,
        placesOf(row),
        `${row.cause} ${row.remedy}`.trim(),
      ]
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
  return [...(isAll ? ['management'] : []), ...named].join(', ')
}

if (import.meta.main) writeFileSync(TARGET, errorsPage())
