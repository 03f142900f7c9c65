// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Standard input, output and error as whoever started the process has left them: closed, or with
// nobody at the other end.
#pragma once

namespace heddle::node {

/// Sees to it that no file gets the descriptor of a standard stream that is closed: what is printed
/// would be written into it. Reading and writing the stream fail as before.
/// Before anything is opened. Errors: ends the process where even that cannot be done.
void hold_standard_streams() noexcept;

/// Writing where nobody reads fails from now on, in place of ending the process (SIGPIPE).
void ignore_closed_pipes() noexcept;

/// It ends the process again, as usual: what is printed is all that was wanted.
void heed_closed_pipes() noexcept;

}  // namespace heddle::node
