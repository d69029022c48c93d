import { expect } from 'chai'
import type { ResolvedDPoPOptions } from '../../packages/resource-server/src/sender/dpop-options.ts'
import { type ResolvedOptions, resolveOptions } from '../../src/options/defaults.ts'
import type {
  Authorize,
  BindingMember,
  ContextStandardSchema,
  ContextValidator,
} from '../../src/public/hooks.ts'
import type { ClientRule } from '../../src/public/options.ts'

/** `true` where two types are the same: neither wider, nor `any`, nor `never`. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The compiler reads these lines: a type that differs makes `false` of `true`. */
const derived: Record<string, true> = {
  boolean: true satisfies Same<ResolvedOptions['enabled'], boolean>,
  integer: true satisfies Same<ResolvedOptions['accessToken']['maxTtl'], number>,
  noDefault: true satisfies Same<ResolvedOptions['actorToken']['maxAge'], number | undefined>,
  nested: true satisfies Same<ResolvedOptions['accessToken']['maxTtl'], number>,
  string: true satisfies Same<ResolvedOptions['managementApi']['scope'], string>,
  oneOf: true satisfies Same<ResolvedOptions['managementApi']['tokenFormat'], 'jwt' | 'opaque'>,
  someOf: true satisfies Same<
    ResolvedOptions['managementApi']['requireBinding'],
    readonly BindingMember[]
  >,
  clients: true satisfies Same<
    ResolvedOptions['managementApi']['clients'],
    { readonly issue: ClientRule; readonly read: ClientRule; readonly end: ClientRule }
  >,
  stringMap: true satisfies Same<
    ResolvedOptions['environmentVariables'],
    Readonly<Record<string, string>>
  >,
  function: true satisfies Same<ResolvedOptions['authorize'], Authorize | undefined>,
  schema: true satisfies Same<
    ResolvedOptions['contextSchema'],
    ContextValidator | ContextStandardSchema | undefined
  >,
  url: true satisfies Same<ResolvedDPoPOptions['baseUrl'], string | undefined>,
}

describe('the types of the resolved options', () => {
  it('are those of the rules in the shape', () => {
    expect(Object.keys(derived)).to.have.length(12)
  })

  it('cannot be written to', () => {
    const resolved = resolveOptions({})
    expect(() => {
      // @ts-expect-error: a member is read-only
      resolved.accessToken.maxTtl = 1
    }).to.throw(TypeError)
  })
})
