import { expect } from 'chai'
import { asLine, plain, withoutAddresses } from '../../../src/features/notices/server/plain.ts'

/** Addresses and numbers, as programs that look for links find them. */
const ADDRESS = /[\p{L}\p{N}][.．。｡․@/:][\p{L}\p{N}/]/u
const NUMBER = /\+?\p{Nd}[\s().‐-―/-]*\p{Nd}[\s().‐-―/-]*\p{Nd}/u

describe('texts of people in notices', () => {
  for (const text of [
    'www.evil.example',
    'https://evil.example/login',
    'support@evil.example',
    'www。evil。example',
    'www．evil｡example',
    'evil․example／login',
    'evil.example:443',
  ]) {
    it(`have no address: ${text}`, () => {
      expect(text).to.match(ADDRESS)
      expect(plain(text)).to.not.match(ADDRESS)
      expect(withoutAddresses(text)).to.not.match(ADDRESS)
      expect(plain(text).replaceAll('\u200b', '')).to.equal(text)
    })
  }

  for (const text of [
    'Call +49 900 123 456 now',
    '0900123456',
    '(0900) 12-34-56',
    '+49–900–123456',
    '٠٩٠٠١٢٣٤٥٦',
    '０９００１２３４５６',
  ]) {
    it(`have no number to call: ${text}`, () => {
      expect(text).to.match(NUMBER)
      expect(plain(text)).to.not.match(NUMBER)
      expect(plain(text).replaceAll('\u200b', '')).to.equal(text)
    })
  }

  it('are one line', () => {
    for (const line of [asLine, plain]) {
      expect(
        line('Alice\r\nBcc: everybody\u2028\u202eNg').split(/[\r\n\u2028\u202e]/),
      ).to.have.length(1)
    }
  })

  it('keep years, amounts and the number of a ticket as they are', () => {
    expect(plain('Order of 2026, 4999 pieces')).to.equal('Order of 2026, 4999 pieces')
    expect(withoutAddresses('SUP-1234567')).to.equal('SUP-1234567')
  })
})
