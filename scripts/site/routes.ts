import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { type DescribedError, describedErrors } from '../openapi-errors.ts'

const METHODS = ['get', 'post', 'put', 'delete']

type Node = Record<string, unknown>

/** A page for each route of docs/openapi.yaml, and one that lists them, by their places on the site. */
export function routePages(): Map<string, string> {
  const root: Node = parse(
    readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'),
  )
  const errors = describedErrors()

  const nodeOf = (value: unknown): Node => {
    const node: Node = { ...Object(value) }
    const { $ref: reference } = node
    if (typeof reference !== 'string') return node
    return nodeOf(
      reference
        .slice(2)
        .split('/')
        .reduce<unknown>((tree, key) => Object(tree)[key], root),
    )
  }
  const textOf = (value: unknown) =>
    typeof value === 'string'
      ? value
          .trim()
          .replaceAll(/\s*\n\s*/g, ' ')
          .replaceAll('|', '\\|')
      : ''
  const typeOf = (schema: Node): string => {
    const choices = [schema.oneOf, schema.anyOf].flatMap((all) => (Array.isArray(all) ? all : []))
    if (choices.length > 0) return choices.map((each) => typeOf(nodeOf(each))).join(' or ')
    if (schema.type === 'array') return `list of ${typeOf(nodeOf(schema.items))}`
    if (Array.isArray(schema.enum)) return schema.enum.map((each) => `\`${each}\``).join(' or ')
    if (schema.const !== undefined) return `\`${schema.const}\``
    return Array.isArray(schema.type) ? schema.type.join(' or ') : textOf(schema.type) || 'object'
  }
  const membersOf = (value: unknown): string => {
    const schema = nodeOf(value)
    const all = Array.isArray(schema.allOf) ? schema.allOf.map(nodeOf) : [schema]
    const required = all.flatMap((each) => (Array.isArray(each.required) ? each.required : []))
    const rows = all.flatMap((each) =>
      Object.entries(Object(each.properties)).map(([name, member]) => {
        const found = nodeOf(member)
        const must = required.includes(name) ? ', required' : ''
        return `| \`${name}\` | ${typeOf(found)}${must} | ${textOf(found.description)} |\n`
      }),
    )
    return rows.length === 0 ? '' : `| member | type | |\n|---|---|---|\n${rows.join('')}\n`
  }
  const contentOf = (value: unknown): string =>
    Object.entries(Object(nodeOf(value).content))
      .map(([type, content]) => {
        const { schema, examples, example } = nodeOf(content)
        const [shown] = example
          ? [example]
          : Object.values(Object(examples)).map((each) => nodeOf(each).value)
        const block =
          shown && type.includes('json')
            ? `\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\`\n\n`
            : ''
        return `\`${type}\`\n\n${membersOf(schema)}${block}`
      })
      .join('')
  const errorRow = ({ status, error, description, cause, remedy }: DescribedError) =>
    `| ${[status, `\`${error}\``, description, `${cause} ${remedy}`].map(textOf).join(' | ')} |\n`

  const pages = new Map<string, string>()
  let list =
    '# Routes\n\nThis page is made from [openapi.yaml](openapi.yaml). [The HTTP API](http-api.md) is the guide to them.\n\n| route | |\n|---|---|\n'
  for (const [path, item] of Object.entries(Object(root.paths))) {
    for (const [method, value] of Object.entries(nodeOf(item))) {
      if (!METHODS.includes(method)) continue
      const operation = nodeOf(value)
      const id = textOf(operation.operationId)
      const route = `${method.toUpperCase()} ${path}`
      const parameters = [nodeOf(item).parameters, operation.parameters]
        .flatMap((all) => (Array.isArray(all) ? all : []))
        .map(nodeOf)
        .map(
          ({ name, in: place, required, schema, description }) =>
            `| \`${name}\` | ${place}, ${typeOf(nodeOf(schema))}${required ? ', required' : ''} | ${textOf(description)} |\n`,
        )
      const answers = Object.entries(Object(operation.responses))
        .filter(([status]) => status < '400')
        .map(
          ([status, answer]) =>
            `### ${status}\n\n${textOf(nodeOf(answer).description)}\n\n${contentOf(answer)}`,
        )
      const refusals = (errors.get(id) ?? []).map(errorRow)
      list += `| [\`${route}\`](/routes/${id}.md) | ${textOf(operation.summary)} |\n`
      pages.set(
        `routes/${id}.md`,
        [
          `# ${textOf(operation.summary)}\n\n\`${route}\`\n`,
          `${String(operation.description ?? '').trim()}\n`,
          parameters.length > 0 &&
            `## Parameters\n\n| name | where | |\n|---|---|---|\n${parameters.join('')}`,
          operation.requestBody && `## Request\n\n${contentOf(operation.requestBody)}`,
          `## Answer\n\n${answers.join('\n')}`,
          refusals.length > 0 &&
            `## Errors\n\n| status | \`error\` | \`error_description\` | cause, and what to do |\n|---|---|---|---|\n${refusals.join('')}`,
        ]
          .filter(Boolean)
          .join('\n'),
      )
    }
  }
  return pages.set('routes/index.md', list)
}
