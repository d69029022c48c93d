import { expect } from 'chai'
import * as v from 'valibot'
import {
  exactly,
  flag,
  listOf,
  objectOf,
  oneOf,
  readBy,
  text,
  wholeNumber,
} from '../../src/kernel/input.ts'

const PERSON = {
  name: text(1, 5),
  age: v.optional(wholeNumber(0, 150)),
  role: v.optional(oneOf(['lead', 'operator'])),
  isAway: v.optional(flag),
  friends: v.optional(listOf(objectOf({ name: text(1, 5) }))),
  names: v.optional(objectOf({ first: v.optional(text(1, 5)) })),
}

function messageOf(value: unknown, root?: string) {
  try {
    readBy(exactly(PERSON), value, undefined, root)
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError)
    return error instanceof Error ? error.message : ''
  }
  return ''
}

/** Wrong inputs, and the message about each. */
const WRONG: readonly (readonly [value: unknown, message: string])[] = [
  [undefined, 'the body is required: an object'],
  [null, 'the body must be an object'],
  ['Ann', 'the body must be an object'],
  [[], 'the body must be an object'],
  [new Map([['name', 'Ann']]), 'the body must be an object'],
  [{}, 'name is required: a text of 1 to 5 characters'],
  [{ name: '' }, 'name is required: a text of 1 to 5 characters'],
  [{ name: 7 }, 'name must be a text of 1 to 5 characters'],
  [{ name: ['A'] }, 'name must be a text of 1 to 5 characters'],
  [{ name: 'Annabel' }, 'name must be a text of 1 to 5 characters'],
  [{ name: 'Ann', age: 1.5 }, 'age must be a whole number from 0 to 150'],
  [{ name: 'Ann', age: null }, 'age must be a whole number from 0 to 150'],
  [{ name: 'Ann', role: 'owner' }, 'role must be one of: lead, operator'],
  [{ name: 'Ann', isAway: false }, 'isAway must be true'],
  [{ name: 'Ann', friends: {} }, 'friends must be a list'],
  [
    { name: 'Ann', friends: [{ name: 'Bo' }, {}] },
    'friends[1].name is required: a text of 1 to 5 characters',
  ],
  [{ name: 'Ann', names: [] }, 'names must be an object'],
]

/** Names that an object has, or that change what it inherits. */
const INHERITED = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString']

describe('an input', () => {
  for (const [value, message] of WRONG) {
    it(`is refused: ${message}, for ${JSON.stringify(value)}`, () => {
      expect(messageOf(value)).to.equal(message)
    })
  }

  it('is named where it has a name', () => {
    expect(messageOf({}, 'use')).to.equal('use.name is required: a text of 1 to 5 characters')
    expect(messageOf(7, 'use')).to.equal('use must be an object')
  })

  for (const name of [...INHERITED, 'nickname']) {
    it(`has no member ${name} that nobody asked for, and the message does not repeat it`, () => {
      const told = JSON.parse(`{"name":"Ann","${name}":{"isAdmin":true}}`)
      expect(messageOf(told)).to.equal(
        'there is a name that is not known here; known are: name, age, role, isAway, friends, names',
      )
      const read: object = readBy(objectOf(PERSON), told)
      expect(read).to.deep.equal({ name: 'Ann' })
      expect(Object.getPrototypeOf(read)).to.equal(Object.prototype)
      expect(Reflect.get(read, 'isAdmin')).to.equal(undefined)
    })
  }

  it('is a copy: what the sender changes later is not what was read', () => {
    const told = { name: 'Ann', friends: [{ name: 'Bo' }] }
    const read = readBy(objectOf(PERSON), told)
    told.name = 'Eve'
    for (const friend of told.friends) friend.name = 'Eve'
    expect(read).to.deep.equal({ name: 'Ann', friends: [{ name: 'Bo' }] })
  })
})
