// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them.

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

/** 1,234 */
export const count = value => BigInt(Math.round(Number(value))).toLocaleString('en');
export const whole = value => BigInt(value).toLocaleString('en');

/** Nanoseconds as `12.3 µs`. */
export function duration(nanoseconds) {
  if (!(nanoseconds > 0)) return '0 ns';
  const [size, unit] = UNITS.find(([size]) => nanoseconds >= size) ?? UNITS.at(-1);
  return `${significant(nanoseconds / size)} ${unit}`;
}

/** Three digits, without an exponent. */
export function significant(value) {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function compact(value) {
  if (value >= 1e9) return `${significant(value / 1e9)} G`;
  if (value >= 1e6) return `${significant(value / 1e6)} M`;
  if (value >= 1e4) return `${significant(value / 1e3)} k`;
  return Math.round(value).toLocaleString('en');
}

/** A number of smallest units with so many decimals, exactly. */
export function decimal(value, decimals) {
  const digits = BigInt(value).toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const fraction = digits.slice(cut).replace(/0+$/, '');
  return BigInt(digits.slice(0, cut)).toLocaleString('en') + (fraction ? `.${fraction}` : '');
}

/** Wei as ether, gwei where it is little. */
export function wei(value) {
  const amount = BigInt(value);
  if (amount === 0n) return '0 ETH';
  if (amount < 10n ** 4n) return `${amount} wei`;
  if (amount < 10n ** 14n) return `${decimal(amount, 9)} gwei`;
  return `${decimal(amount, 18)} ETH`;
}

export const gwei = value => Number(value) < 1e6 ? `${count(value)} wei`
  : `${significant(Number(value) / 1e9)} gwei`;
export const percent = (part, all) => all > 0 ? `${(100 * part / all).toFixed(0)} %` : '–';
export const times = value => Number.isFinite(value) && value > 0 ? `${value.toFixed(2)}×` : '–';

/** How long ago, of seconds since 1970. */
export function age(timestamp) {
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(timestamp)));
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} d ago`;
}

export const moment = timestamp =>
  new Date(Number(timestamp) * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');

export const plural = (number, word) =>
  `${count(number)} ${word}${Number(number) === 1 ? '' : 's'}`;
