use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc;
use std::thread;

use proptest::prelude::*;

use super::*;

/// An override as the overlay has it: 0 or less is none, and is read back as 0.
#[derive(Default)]
struct Memory(AtomicI32);

impl Slot for Memory {
    fn get(&self) -> i32 {
        self.0.load(Ordering::Relaxed).max(0)
    }

    fn set(&self, mebi_elements: i32) {
        self.0.store(mebi_elements, Ordering::Relaxed);
    }
}

fn stack(base: i32) -> BudgetStack<Memory> {
    BudgetStack::new(Memory(AtomicI32::new(base)))
}

fn budget(mebi_elements: i32) -> InputBudget {
    InputBudget::new(mebi_elements).unwrap()
}

#[test]
fn nested_guards_each_restore_what_they_found() {
    let stack = stack(50);
    let outer = stack.enter(budget(1000));
    let inner = stack.enter(budget(400));
    assert_eq!(stack.slot.get(), 400);
    stack.leave(inner);
    assert_eq!(stack.slot.get(), 1000);
    stack.leave(outer);
    assert_eq!(stack.slot.get(), 50);
}

#[test]
fn dropped_out_of_order_the_living_guard_keeps_its_budget_and_nothing_stays_behind() {
    let stack = stack(0);
    let outer = stack.enter(budget(1000));
    let inner = stack.enter(budget(400));
    stack.leave(outer);
    assert_eq!(stack.slot.get(), 400);
    stack.leave(inner);
    assert_eq!(stack.slot.get(), 0);
}

#[test]
fn a_guard_in_the_middle_goes_without_a_trace() {
    let stack = stack(0);
    let bottom = stack.enter(budget(1));
    let middle = stack.enter(budget(2));
    let top = stack.enter(budget(3));
    stack.leave(middle);
    assert_eq!(stack.slot.get(), 3);
    stack.leave(top);
    assert_eq!(stack.slot.get(), 1);
    stack.leave(bottom);
    assert_eq!(stack.slot.get(), 0);
}

#[test]
fn a_value_set_directly_is_found_by_the_next_guard_and_gone_with_the_one_below() {
    let stack = stack(0);
    let outer = stack.enter(budget(1000));
    stack.slot.set(77);
    let inner = stack.enter(budget(400));
    stack.leave(inner);
    assert_eq!(stack.slot.get(), 77);
    stack.leave(outer);
    assert_eq!(stack.slot.get(), 0);
}

/// A guard over a stack of its own, as the public one is over the process's.
struct Guard<'s>(&'s BudgetStack<Memory>, Option<Ticket>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1.take().unwrap());
    }
}

#[test]
fn panics_unwind_through_nested_guards_to_what_was_there_before() {
    let stack = stack(7);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _outer = Guard(&stack, Some(stack.enter(budget(1000))));
        let _inner = Guard(&stack, Some(stack.enter(budget(400))));
        assert_eq!(stack.slot.get(), 400);
        panic!("a decode step fails");
    }));
    assert!(unwound.is_err());
    assert_eq!(stack.slot.get(), 7);
    assert!(stack.lock().alive.is_empty());
}

#[derive(Debug, Clone)]
enum Act {
    Enter(i32),
    /// Of the living guards, the one at this index, modulo their number.
    Leave(prop::sample::Index),
    SetDirectly(i32),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (1..=i32::MAX).prop_map(Act::Enter),
        4 => any::<prop::sample::Index>().prop_map(Act::Leave),
        1 => any::<i32>().prop_map(Act::SetDirectly),
    ];
    prop::collection::vec(act, 0..60)
}

/// The rule in its plainest form: what each layer holds, bottom first; the last is in force.
struct Model(Vec<(Option<usize>, i32)>);

impl Model {
    fn in_force(&self) -> i32 {
        self.0.last().unwrap().1.max(0)
    }

    fn enter(&mut self, guard: usize, budget: i32) {
        self.0.push((Some(guard), budget));
    }

    fn leave(&mut self, guard: usize) {
        self.0.retain(|(owner, _)| *owner != Some(guard));
    }

    fn set_directly(&mut self, value: i32) {
        self.0.last_mut().unwrap().1 = value;
    }
}

proptest! {
    #[test]
    fn whatever_the_order_the_override_is_that_of_the_topmost_layer(base in 0..100_i32, acts in acts()) {
        let stack = stack(base);
        let mut model = Model(vec![(None, base)]);
        let mut alive: Vec<(usize, Ticket)> = Vec::new();
        for (number, act) in acts.iter().enumerate() {
            match act {
                Act::Enter(value) => {
                    alive.push((number, stack.enter(budget(*value))));
                    model.enter(number, *value);
                }
                Act::Leave(index) if !alive.is_empty() => {
                    let (guard, ticket) = alive.remove(index.index(alive.len()));
                    stack.leave(ticket);
                    model.leave(guard);
                }
                Act::Leave(_) => {}
                Act::SetDirectly(value) => {
                    stack.slot.set(*value);
                    model.set_directly(*value);
                }
            }
            prop_assert_eq!(stack.slot.get(), model.in_force(), "after {:?}", act);
        }
        for (guard, ticket) in alive {
            stack.leave(ticket);
            model.leave(guard);
            prop_assert_eq!(stack.slot.get(), model.in_force());
        }
    }

    /// Two real threads, taking turns by a generated schedule: what each sees after its own act is the model's.
    #[test]
    fn guards_of_two_threads_interleave_as_the_model_says(
        base in 0..100_i32,
        schedule in prop::collection::vec((any::<bool>(), 1..5000_i32, any::<bool>()), 0..40),
    ) {
        let stack = stack(base);
        let mut model = Model(vec![(None, base)]);
        let mut alive = [Vec::new(), Vec::new()];
        thread::scope(|scope| {
            let workers = [(); 2].map(|()| {
                let (order, orders) = mpsc::channel::<Option<i32>>();
                let (answer, answers) = mpsc::channel::<i32>();
                let stack = &stack;
                scope.spawn(move || {
                    let mut guards = Vec::new();
                    for order in orders {
                        match order {
                            Some(value) => guards.push(stack.enter(budget(value))),
                            None => stack.leave(guards.remove(0)),
                        }
                        answer.send(stack.slot.get()).unwrap();
                    }
                    for guard in guards {
                        stack.leave(guard);
                    }
                });
                (order, answers)
            });
            for (number, (second, value, enter)) in schedule.into_iter().enumerate() {
                let thread = usize::from(second);
                let (guard, order) = if enter || alive[thread].is_empty() {
                    alive[thread].push(number);
                    model.enter(number, value);
                    (number, Some(value))
                } else {
                    let guard = alive[thread].remove(0);
                    model.leave(guard);
                    (guard, None)
                };
                workers[thread].0.send(order).unwrap();
                prop_assert_eq!(workers[thread].1.recv().unwrap(), model.in_force(), "guard {}", guard);
            }
            Ok(())
        })?;
        prop_assert_eq!(stack.slot.get(), base);
    }
}

#[test]
fn threads_running_freely_leave_the_base_behind_and_never_a_value_that_nobody_asked_for() {
    const THREADS: i32 = 4;
    let stack = stack(7);
    thread::scope(|scope| {
        for thread in 1..=THREADS {
            let stack = &stack;
            scope.spawn(move || {
                for round in 0..2000 {
                    let outer = stack.enter(budget(thread * 100));
                    let inner = stack.enter(budget(thread * 100 + 1));
                    let seen = stack.slot.get();
                    assert!(
                        (1..=THREADS).any(|any| seen == any * 100 || seen == any * 100 + 1),
                        "{seen} while a guard of this thread lives"
                    );
                    let (first, second) = if round % 2 == 0 {
                        (outer, inner)
                    } else {
                        (inner, outer)
                    };
                    stack.leave(first);
                    stack.leave(second);
                }
            });
        }
    });
    assert_eq!(stack.slot.get(), 7);
}
