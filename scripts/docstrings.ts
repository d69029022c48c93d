// Reads the docstrings of interfaces from source text, without a compiler: TypeScript 7 has no
// stable API for it, and these sources are simple.

/** A docstring without its tags. */
export interface Docstring {
  readonly text: string
  /** Tags by name, without `@`. Lines of an example keep their indentation. */
  readonly tags: ReadonlyMap<string, string>
}

export interface Member extends Docstring {
  readonly name: string
  /** The type in the source, without `| undefined`. */
  readonly type: string
}

const INTERFACE = /^export interface (\w+)[^{]*\{\n(.*?)^\}/gms
const NAME = String.raw`(?:readonly\s+)?(\w+)\??:`
const MEMBER = new RegExp(
  String.raw`^[ \t]*(?:/\*\*((?:(?!\*/).)*)\*/\s*)?${NAME}(.*?)(?=^[ \t]*(?:/\*\*|(?:readonly\s+)?\w+\??:)|(?![^]))`,
  'gms',
)

/** The members of each exported interface, in source order. */
export function interfacesOf(source: string): Map<string, Map<string, Member>> {
  return new Map(
    [...source.matchAll(INTERFACE)].map(([, name = '', body = '']) => [name, membersOf(body)]),
  )
}

function membersOf(body: string): Map<string, Member> {
  return new Map(
    [...body.matchAll(MEMBER)].map(([, comment = '', name = '', type = '']) => [
      name,
      { name, type: withoutUndefined(type), ...docstring(comment) },
    ]),
  )
}

function withoutUndefined(type: string): string {
  return type
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/ \| undefined$/, '')
}

/** Parses the text between the start and the end of a docstring. */
function docstring(comment: string): Docstring {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
  const [text = '', ...tagged] = lines.join('\n').split(/^@(?=\w)/m)
  const tags = tagged.map((tag): [string, string] => {
    const [name = ''] = tag.split(/\s/, 1)
    return [name, tag.slice(name.length).trim()]
  })
  return { text: text.trim(), tags: new Map(tags) }
}
