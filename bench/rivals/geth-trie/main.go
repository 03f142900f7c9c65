// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The updates of resident_trie_bench on geth's trie, in memory: the same keys and values, drawn
// by the same generator, so that the roots must be the same. Run by hand; see bench/README.md.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
)

// splitMix64 is the generator of both programs.
type splitMix64 struct{ state uint64 }

func (r *splitMix64) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func keyOf(index uint64) []byte {
	var address [20]byte
	binary.BigEndian.PutUint64(address[12:], index)
	return crypto.Keccak256(address[:])
}

func valueOf(index, nonce uint64) []byte {
	account := types.StateAccount{
		Nonce:    nonce,
		Balance:  uint256.NewInt(1_000_000_000_000_000_000 + index),
		Root:     types.EmptyRootHash,
		CodeHash: types.EmptyCodeHash[:],
	}
	value, err := rlp.EncodeToBytes(&account)
	if err != nil {
		panic(err)
	}
	return value
}

func draw(random *splitMix64, leaves uint64, count int) []uint64 {
	taken := make(map[uint64]bool, count)
	drawn := make([]uint64, 0, count)
	for len(drawn) < count {
		index := random.next() % leaves
		if !taken[index] {
			taken[index] = true
			drawn = append(drawn, index)
		}
	}
	return drawn
}

func parse(list string) []uint64 {
	var numbers []uint64
	for _, text := range strings.Split(list, ",") {
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			panic(err)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// measure returns the microseconds per updated leaf, one figure per repetition.
func measure(t *trie.Trie, leaves uint64, count, repetitions int, batch bool) []float64 {
	random := splitMix64{state: uint64(count)}
	times := make([]float64, 0, repetitions)
	for repetition := 0; repetition < repetitions; repetition++ {
		drawn := draw(&random, leaves, count)
		keys := make([][]byte, count)
		values := make([][]byte, count)
		for i, index := range drawn {
			keys[i] = keyOf(index)
			values[i] = valueOf(index, uint64(2+repetition))
		}
		begin := time.Now()
		if batch {
			if err := t.UpdateBatch(keys, values); err != nil {
				panic(err)
			}
		} else {
			for i := range keys {
				t.MustUpdate(keys[i], values[i])
			}
		}
		t.Hash()
		times = append(times, float64(time.Since(begin).Nanoseconds())/1000/float64(count))
	}
	return times
}

func main() {
	leavesList := flag.String("leaves", "1000000", "sizes of the trie")
	updatesList := flag.String("updates", "100,1000,10000", "leaves updated at a time")
	repetitions := flag.Int("repetitions", 31, "medians are over so many")
	procs := flag.Int("procs", 1, "GOMAXPROCS")
	batch := flag.Bool("batch", false, "UpdateBatch in place of one Update per leaf")
	flag.Parse()

	fmt.Println("leaves updates us_per_leaf root")
	for _, leaves := range parse(*leavesList) {
		t := trie.NewEmpty(nil)
		debug.SetGCPercent(50)
		for index := uint64(0); index < leaves; index++ {
			t.MustUpdate(keyOf(index), valueOf(index, 1))
		}
		t.Hash()
		runtime.GOMAXPROCS(*procs)
		// No garbage is collected while the clock runs: geth is not charged for it.
		runtime.GC()
		debug.SetGCPercent(-1)
		fmt.Println("filled")
		for _, count := range parse(*updatesList) {
			times := measure(t, leaves, int(count), *repetitions, *batch)
			fmt.Printf("%d %d %.3f %s\n", leaves, count, median(times), t.Hash().Hex())
		}
	}
}
