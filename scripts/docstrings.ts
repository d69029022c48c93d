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
  readonly isOptional: boolean
}

const INTERFACE = /^export interface (\w+)(?: extends ([\w, ]+))? *\{\n(.*?)^\}/gms
const NAME = String.raw`(?:readonly\s+)?(\w+)(\??):`
const MEMBER = new RegExp(
  String.raw`^[ \t]*(?:/\*\*((?:(?!\*/).)*)\*/\s*)?${NAME}(.*?)(?=^[ \t]*(?:/\*\*|(?:readonly\s+)?\w+\??:)|(?![^]))`,
  'gms',
)

/** The members of each exported interface, in source order, each after those of what it extends. */
export function interfacesOf(...sources: readonly string[]): Map<string, Map<string, Member>> {
  const found = new Map(
    sources
      .flatMap((source) => [...source.matchAll(INTERFACE)])
      .map(([, name = '', bases = '', body = '']) => [
        name,
        { bases: bases.split(',').map((base) => base.trim()), body },
      ]),
  )
  const all = (name: string): [string, Member][] => {
    const { bases = [], body = '' } = found.get(name) ?? {}
    return [...bases.flatMap(all), ...membersOf(body)]
  }
  return new Map([...found.keys()].map((name) => [name, new Map(all(name))]))
}

function membersOf(body: string): Map<string, Member> {
  return new Map(
    [...body.matchAll(MEMBER)].map(([, comment = '', name = '', mark, type = '']) => [
      name,
      { name, type: withoutUndefined(type), isOptional: mark === '?', ...docstring(comment) },
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
  const [text = '', ...tagged] = lines.join('\n').split(/^@(?=\w)|(?<=[.] )@(?=defaultValue)/m)
  const tags = tagged.map((tag): [string, string] => {
    const [name = ''] = tag.split(/\s/, 1)
    return [name, tag.slice(name.length).trim()]
  })
  return { text: text.trim(), tags: new Map(tags) }
}
