import { readFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import { expect } from 'chai'
import { Pool } from 'pg'
import { PERMITS_RULES } from '../../packages/console/src/features/permits/server/shape.ts'
import { APPLICATION_RULES, CONSOLE_RULES } from '../../packages/console/src/settings.ts'
import { BRAND_RULES } from '../../packages/console/src/web/brand-rules.ts'
import {
  type ResourceServerOptions,
  resourceServer,
} from '../../packages/resource-server/src/index.ts'
import { CONSOLE_SECTIONS, membersOf } from '../../scripts/console-options.ts'
import { factsOf, type Shape } from '../../scripts/option-samples.ts'
import { optionsReference, SECTIONS } from '../../scripts/options-reference.ts'
import { ImpersonationFeature } from '../../src/index.ts'
import { isPlainObject } from '../../src/shared/json.ts'

const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8')

/** The call of a deployment, where that is more than to read the options. */
const BUILDERS: Readonly<Record<string, (options: object) => unknown>> = {
  ImpersonationOptions: (options) => new ImpersonationFeature(options),
  // As JavaScript does: without the types in the way.
  ResourceServerOptions: (options) => resourceServer(options as unknown as ResourceServerOptions),
}

describe('the options of the console in docs/options.md', () => {
  const shapes: Readonly<Record<string, object>> = {
    SupportConsoleOptions: CONSOLE_RULES,
    Application: APPLICATION_RULES,
    Brand: BRAND_RULES,
    PermitsOptions: PERMITS_RULES,
  }
  for (const section of CONSOLE_SECTIONS) {
    const shape = shapes[section.root]
    if (!shape) continue
    it(`has each option that ${section.title} takes, and no other`, () => {
      const names = membersOf(section).map(({ name }) => name)
      expect(names).to.have.members(Object.keys(shape))
    })
  }
})

describe('docs/options.md', () => {
  it('is what npm run docs:options writes', () => {
    expect(page, 'run: npm run docs:options').to.equal(optionsReference())
  })

  for (const { title, root, shape, resolve } of SECTIONS) {
    const name = /`([\w.]+)(?:\(\))?`$/.exec(title)?.[1] ?? expect.fail(title)
    section(name, shape, BUILDERS[root] ?? resolve)
  }
})

interface Option {
  readonly path: string
  readonly text: string
  /** Taken from its example; absent where there is none. */
  readonly example: object | undefined
}

function section(name: string, shape: Shape, build: (options: object) => unknown): void {
  const text = page.split(/^## /m).find((part) => part.split('\n', 1)[0]?.includes(name)) ?? ''
  const [head = '', ...parts] = text.split(/^#{3,5} /m)
  const required = exampleOf(head)
  const options = parts.map((part): Option => {
    const path = /^`(.+)`/.exec(part)?.[1] ?? ''
    return { path, text: part, example: exampleOf(part) }
  })
  const leaves = options.filter(({ text }) => text.includes('**Default:**'))
  /** The group of an option, by the example of the group: DPoP needs one of its members. */
  const around = ({ path }: Option) => {
    if (path === 'dPoP.getUrl') return required
    return merged(required, options.find((group) => group.path === path.split('.')[0])?.example)
  }

  describe(name, () => {
    it('has every option of the shape', () => {
      const named = leaves.map(({ path }) => path)
      expect(named).to.include.members(pathsOf(shape))
      expect(named.length).to.be.greaterThan(1)
    })

    it('the required options are accepted, and enough', () => {
      expect(() => build(required ?? {})).to.not.throw()
    })

    for (const option of options.filter(({ example }) => example !== undefined)) {
      it(`${option.path}: its example is accepted, and sets it`, () => {
        expect(valueAt(option.example, option.path)).to.not.equal(undefined)
        expect(() => build(merged(around(option), option.example) ?? {})).to.not.throw()
      })
    }
  })
}

/** The first block of a text, as an object. */
function exampleOf(text: string): object | undefined {
  const code = /^```js\n(.*?)^```$/ms.exec(text)?.[1]
  if (code === undefined) return undefined
  return runInThisContext(`(Pool) => ({${code}})`)(Pool)
}

function pathsOf(shape: Shape, above = ''): string[] {
  return Object.entries(shape).flatMap(([name, node]) => {
    return node.of && factsOf(node).type === 'section'
      ? pathsOf(node.of, `${above}${name}.`)
      : [above + name]
  })
}

function valueAt(options: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => Object(value)[name], options)
}

/** Both, one inside of the other; where they differ, the second. */
function merged(first: unknown, second: unknown): object | undefined {
  if (!isPlainObject(first) || !isPlainObject(second)) return Object(second ?? first)
  const members = Object.entries(second).map(([name, value]): [string, unknown] => {
    const both = isPlainObject(first[name]) && isPlainObject(value)
    return [name, both ? merged(first[name], value) : value]
  })
  return { ...first, ...Object.fromEntries(members) }
}
