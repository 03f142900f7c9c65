// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading values by the Contract ABI. Data comes from whoever sent a transaction: offsets may point
// anywhere and lengths may be anything, so depth, the number of values and every read are bounded.

const MOST_VALUES = 2000;
const DEEPEST = 16;
const WORD = 32;

export class AbiError extends Error {}

function bytesOf(hex) {
  const text = hex.startsWith('0x') ? hex.slice(2) : hex;
  if (text.length % 2 !== 0 || /[^0-9a-fA-F]/.test(text)) throw new AbiError('no bytes');
  return Uint8Array.from({length: text.length / 2}, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

export const hexOf = bytes =>
  '0x' + Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

class Reader {
  left = MOST_VALUES;

  constructor(bytes) {
    this.bytes = bytes;
  }
  word(offset) {
    const {buffer, byteOffset} = this.slice(offset, WORD);
    const view = new DataView(buffer, byteOffset, WORD);
    return [0, 8, 16, 24].reduce((sum, at) => sum << 64n | view.getBigUint64(at), 0n);
  }
  slice(offset, length) {
    if (offset + length > this.bytes.length) throw new AbiError('the data ends too early');
    return this.bytes.subarray(offset, offset + length);
  }
  /** A length or an offset: nothing beyond the data is meant. */
  size(offset) {
    const value = this.word(offset);
    if (value > BigInt(this.bytes.length)) throw new AbiError('points beyond the data');
    return Number(value);
  }
  count() {
    if (--this.left < 0) throw new AbiError('too many values');
  }
}

/** `uint256[2][]` → its last dimension and what is in it. null: no array. */
function dimension(type) {
  const found = /^(.*)\[(\d*)\]$/.exec(type);
  return found && {inner: found[1], length: found[2] === '' ? null : Number(found[2])};
}

const isWhole = type => type === 'bytes' || type === 'string';

function isDynamic(parameter) {
  const array = dimension(parameter.type);
  if (array) return array.length === null || isDynamic({...parameter, type: array.inner});
  if (parameter.type === 'tuple') return (parameter.components ?? []).some(isDynamic);
  return isWhole(parameter.type);
}

/** How many bytes it takes where it stands. */
function headSize(parameter) {
  if (isDynamic(parameter)) return WORD;
  const array = dimension(parameter.type);
  if (array) return array.length * headSize({...parameter, type: array.inner});
  if (parameter.type === 'tuple')
    return (parameter.components ?? []).reduce((sum, one) => sum + headSize(one), 0);
  return WORD;
}

function elementary(reader, type, offset) {
  const value = reader.word(offset);
  if (type === 'address') return '0x' + value.toString(16).padStart(40, '0').slice(-40);
  if (type === 'bool') return value !== 0n;
  if (type.startsWith('uint')) return value;
  if (type.startsWith('int')) return BigInt.asIntN(256, value);
  if (type === 'function') return hexOf(reader.slice(offset, 24));
  const size = Number(type.slice('bytes'.length));
  if (!(size >= 1 && size <= WORD)) throw new AbiError('there is no such type');
  return hexOf(reader.slice(offset, size));
}

function decodeOne(reader, parameter, offset, depth) {
  if (depth > DEEPEST) throw new AbiError('nested too deeply');
  reader.count();
  const array = dimension(parameter.type);
  if (array) {
    const length = array.length ?? reader.size(offset);
    const begin = array.length === null ? offset + WORD : offset;
    const inner = {...parameter, type: array.inner};
    // Elements that take no room could be any number.
    if (length > reader.left) throw new AbiError('too many values');
    return decodeList(reader, Array.from({length}, () => inner), begin, depth + 1);
  }
  if (parameter.type === 'tuple') {
    const components = parameter.components ?? [];
    const values = decodeList(reader, components, offset, depth + 1);
    return {tuple: components.map((one, i) => ({parameter: one, value: values[i]}))};
  }
  if (isWhole(parameter.type)) {
    const bytes = reader.slice(offset + WORD, reader.size(offset));
    return parameter.type === 'bytes' ? hexOf(bytes) : new TextDecoder().decode(bytes);
  }
  return elementary(reader, parameter.type, offset);
}

function decodeList(reader, parameters, begin, depth) {
  let place = begin;
  return parameters.map(parameter => {
    const at = isDynamic(parameter) ? begin + reader.size(place) : place;
    place += headSize(parameter);
    return decodeOne(reader, parameter, at, depth);
  });
}

/** @return pairs of parameter and value: BigInt, boolean, text, hexadecimal text, an array, or
 *  {tuple: pairs}. Throws AbiError. */
export function decode(parameters, data) {
  const reader = new Reader(bytesOf(data));
  const values = decodeList(reader, parameters, 0, 0);
  return parameters.map((parameter, i) => ({parameter, value: values[i]}));
}

/** An event's values: those that are indexed come out of its topics, dynamic ones as hashes. */
export function decodeEvent(event, topics, data) {
  const indexed = event.inputs.filter(input => input.indexed);
  const others = decode(event.inputs.filter(input => !input.indexed), data);
  const given = event.anonymous ? topics : topics.slice(1);
  if (given.length !== indexed.length) throw new AbiError('the topics are others');
  const values = new Map(others.map(pair => [pair.parameter, pair]));
  indexed.forEach((parameter, i) => {
    const isHash = isDynamic(parameter) || dimension(parameter.type) || parameter.type === 'tuple';
    const value = isHash ? given[i] : elementary(new Reader(bytesOf(given[i])), parameter.type, 0);
    values.set(parameter, {parameter, value, isHash});
  });
  return event.inputs.map(input => values.get(input));
}
