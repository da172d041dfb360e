import { addBuckets, growthOf, percentile } from './wait-times.js'

const bounds = [1, 2, 5, 10]

it('without acquisitions there is no percentile', () =>
  expect(percentile([0, 0, 0, 0, 0], bounds, 0.5)).toBeNull())

it('a percentile lies in the bucket that this share of all waits reaches', () => {
  const buckets = [50, 0, 40, 10, 0]
  expect(percentile(buckets, bounds, 0.5)).toBe(1)
  expect(percentile(buckets, bounds, 0.7)).toBe(3.5)
  expect(percentile(buckets, bounds, 0.99)).toBeCloseTo(9.5)
})

it('waits above the last bound count as the last bound', () =>
  expect(percentile([0, 0, 0, 0, 7], bounds, 0.5)).toBe(10))

it('a client that began its counts again adds nothing negative', () => {
  expect(growthOf([3, 1, 9], [5, 1, 2])).toEqual([0, 0, 7])
  expect(growthOf([3, 1], [])).toEqual([3, 1])
})

it('buckets are added up, however many each side has', () =>
  expect(addBuckets([1, 2], [3, 4, 5])).toEqual([4, 6, 5]))
