// SPDX-License-Identifier: Apache-2.0
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
pragma solidity 0.8.30;

/// New-Order and Payment of TPC-C. A row is one slot, so that transactions that touch different
/// fields of a row conflict as they do in a database. Rows begin empty. Items have a price that
/// follows from their number, because nothing ever writes them.
contract Tpcc {
    error NoLines();

    event Ordered(uint256 indexed district, uint256 number, uint256 total);
    event Quoted(uint256 indexed warehouse, uint256 tax);
    event Paid(uint256 indexed customer, uint256 amount);

    struct Warehouse {
        uint64 tax;
        uint192 yearToDate;
    }
    struct District {
        uint64 nextOrder;
        uint192 yearToDate;
    }
    struct Customer {
        int128 balance;
        uint32 payments;
        uint96 paid;
    }
    struct Stock {
        uint32 quantity;
        uint32 orders;
        uint32 remoteOrders;
        uint160 sold;
    }
    struct Order {
        uint64 customer;
        uint64 lineCount;
        uint128 total;
    }

    mapping(uint256 => Warehouse) private warehouses;
    mapping(uint256 => District) private districts; // warehouse * 10 + district
    mapping(uint256 => Customer) private customers; // district * 3000 + customer
    mapping(uint256 => Stock) private stocks; // warehouse * 100000 + item
    mapping(uint256 => Order) private orders; // district << 64 | number
    mapping(uint256 => uint256) private orderLines; // order << 8 | line

    /// New-Order. A line is `supplying warehouse << 64 | item << 32 | quantity`.
    function newOrder(uint256 warehouse, uint256 district, uint256 customer, uint256[] calldata lines)
        external
    {
        _order(warehouse, district, customer, lines, warehouses[warehouse].tax);
    }

    /// New-Order without the warehouse's row, which quote() reads.
    function newOrderRest(
        uint256 warehouse,
        uint256 district,
        uint256 customer,
        uint256[] calldata lines
    ) external {
        _order(warehouse, district, customer, lines, 0);
    }

    /// What New-Order does with the warehouse's row.
    function quote(uint256 warehouse) external returns (uint256 tax) {
        tax = warehouses[warehouse].tax;
        emit Quoted(warehouse, tax);
    }

    /// Payment by a customer, who may belong to another warehouse's district.
    function pay(uint256 warehouse, uint256 district, uint256 customer, uint256 amount) external {
        _payWarehouse(warehouse, amount);
        _payRest(district, customer, amount);
    }

    /// What Payment does with the warehouse's row.
    function payWarehouse(uint256 warehouse, uint256 amount) external {
        _payWarehouse(warehouse, amount);
    }

    /// Payment without the warehouse's row.
    function payRest(uint256 district, uint256 customer, uint256 amount) external {
        _payRest(district, customer, amount);
    }

    function _payWarehouse(uint256 warehouse, uint256 amount) private {
        warehouses[warehouse].yearToDate += uint192(amount);
    }

    function _payRest(uint256 district, uint256 customer, uint256 amount) private {
        districts[district].yearToDate += uint192(amount);
        Customer storage row = customers[customer];
        row.balance -= int128(uint128(amount));
        row.payments += 1;
        row.paid += uint96(amount);
        emit Paid(customer, amount);
    }

    function _order(
        uint256 warehouse,
        uint256 district,
        uint256 customer,
        uint256[] calldata lines,
        uint256 tax
    ) private {
        if (lines.length == 0) revert NoLines();
        uint64 number = districts[district].nextOrder;
        districts[district].nextOrder = number + 1;
        uint256 key = (district << 64) | number;
        uint256 total = 0;
        for (uint256 i = 0; i < lines.length; ++i) {
            total += _line(warehouse, lines[i]);
            orderLines[(key << 8) | i] = lines[i];
        }
        total = total * (1000 + tax) / 1000;
        orders[key] = Order(uint64(customer), uint64(lines.length), uint128(total));
        emit Ordered(district, number, total);
    }

    /// Takes a line's quantity out of the stock, which is filled up when it runs low.
    function _line(uint256 warehouse, uint256 line) private returns (uint256 price) {
        uint256 supplier = line >> 64;
        uint256 item = (line >> 32) & 0xffffffff;
        uint32 quantity = uint32(line);
        Stock storage row = stocks[supplier * 100000 + item];
        uint32 left = row.quantity;
        row.quantity = left >= quantity + 10 ? left - quantity : left + 91 - quantity;
        row.orders += 1;
        if (supplier != warehouse) row.remoteOrders += 1;
        row.sold += quantity;
        price = quantity * (100 + item % 9900);
    }
}
